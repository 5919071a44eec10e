import { dateOf, dayOf, parseDay, weekdayOf } from './days.ts';
import { nthWeekday } from './new-york.ts';
import { sessionsBetween } from './sessions.ts';

const SUNDAY = 0;
const MONDAY = 1;

/**
 * Days on which shares trade and bonds do not: Columbus Day and Veterans Day (a Sunday's is kept on the Monday,
 * a Saturday's not at all). Source: https://www.sifma.org/resources/general/holiday-schedule/
 */
function isBondHoliday(day: number): boolean {
  const { year } = dateOf(day);
  const veterans = dayOf(year, 11, 11);
  const keptOn = weekdayOf(veterans) === SUNDAY ? veterans + 1 : veterans;
  return day === keptOn || day === nthWeekday(year, 10, MONDAY, 2);
}

/** On how many sessions after `day` and up to `until` bonds traded too; 0 when `day` is not the earlier one. */
export function bondSessionsAfter(day: string, until: string): number {
  return sessionsBetween(day, until).filter((session) => session > day && !isBondHoliday(parseDay(session)))
    .length;
}
