import { dateOf, dayOf, formatDay, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { isSession, newYorkInstant } from '#domain/calendar/sessions.ts';

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
 * Times at which all tests have to pass, by name, for a suite that runs on `today` (`YYYY-MM-DD`). They cover the hours
 * before, during and after a session, and begin shortly before a change of the clock, a closing bell and midnight.
 * `10-years` is the same date ten years later.
 */
export function anyDates(today: string): Record<string, string> {
  const day = parseDay(today);
  const { year, month, date } = dateOf(day);
  const isWeekday = (each: number) => weekdayOf(each) % SATURDAY !== 0;
  const times: Record<string, [day: number, time: string]> = {
    tomorrow: [day + 1, '11:00'],
    saturday: [firstAfter(day, (each) => weekdayOf(each) === SATURDAY), '05:30'],
    holiday: [firstAfter(day, (each) => isWeekday(each) && !isSession(formatDay(each))), '16:00'],
    'year-end': [firstAfter(day, (each) => dateOf(each).month === 12 && dateOf(each).date === 31), '18:00'],
    'clocks-forward': [firstAfter(day, (each) => lengthOf(each) < DAY_MS), '06:55'],
    'clocks-back': [firstAfter(day, (each) => lengthOf(each) > DAY_MS), '05:55'],
    '400-days': [day + 400, '20:55'],
    '10-years': [dayOf(year + 10, month, date), '23:55'],
  };
  return Object.fromEntries(
    Object.entries(times).map(([name, [each, time]]) => [name, `${formatDay(each)}T${time}Z`]),
  );
}
