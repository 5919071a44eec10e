import { dateOf, dayOf, nthWeekday, parseDay, weekdayOf } from './days.ts';
import { sessionsBetween } from './sessions.ts';

const SUNDAY = 0;
const MONDAY = 1;

/** Columbus Day and Veterans Day (Monday for a Sunday). https://www.sifma.org/resources/general/holiday-schedule/ */
function isBondHoliday(day: number): boolean {
  const { year } = dateOf(day);
  const veterans = dayOf(year, 11, 11);
  const keptOn = weekdayOf(veterans) === SUNDAY ? veterans + 1 : veterans;
  return day === keptOn || day === nthWeekday(year, 10, MONDAY, 2);
}

/** Number of sessions after `day` up to `until` on which bonds were traded too; 0 if `day` is not before `until`. */
export function bondSessionsAfter(day: string, until: string): number {
  return sessionsBetween(day, until).filter((session) => session > day && !isBondHoliday(parseDay(session)))
    .length;
}
