import { dateOf, dayOf, formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { newYorkInstant } from '#domain/calendar/new-york.ts';
import { isSession } from '#domain/calendar/sessions.ts';

const SATURDAY = 6;
const DAY_MS = 24 * 3_600_000;

const lengthOf = (day: number) => newYorkInstant(day + 1, 0) - newYorkInstant(day, 0);

/** The first day after `day` for which `is` is true. */
function firstAfter(day: number, is: (day: number) => boolean): number {
  let next = day + 1;
  while (!is(next)) next += 1;
  return next;
}

/**
 * Days on which all tests have to pass, by name, for a suite that runs on `today` (`YYYY-MM-DD`). `+10 years` is the
 * same date ten years later.
 */
export function anyDates(today: string): Record<string, string> {
  const day = parseDay(today);
  const { year, month, date } = dateOf(day);
  const isWeekday = (each: number) => weekdayOf(each) % SATURDAY !== 0;
  const days = {
    tomorrow: day + 1,
    saturday: firstAfter(day, (each) => weekdayOf(each) === SATURDAY),
    holiday: firstAfter(day, (each) => isWeekday(each) && !isSession(formatDay(each))),
    'year-end': firstAfter(day, (each) => dateOf(each).month === 12 && dateOf(each).date === 31),
    'clocks-forward': firstAfter(day, (each) => lengthOf(each) < DAY_MS),
    'clocks-back': firstAfter(day, (each) => lengthOf(each) > DAY_MS),
    '400-days': day + 400,
    '10-years': dayOf(year + 10, month, date),
  };
  return Object.fromEntries(Object.entries(days).map(([name, each]) => [name, formatDay(each)]));
}
