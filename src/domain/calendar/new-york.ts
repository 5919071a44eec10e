import { dateOf, dayOf, formatDay, parseDay, weekdayOf } from './days.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STANDARD_OFFSET = 5 * HOUR;
const SUNDAY = 0;

/** The day number of the nth, or the last, weekday of a month; 0 is Sunday. */
export function nthWeekday(year: number, month: number, weekday: number, nth: number | 'last'): number {
  if (nth === 'last') {
    const next = month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1);
    return next - 1 - ((weekdayOf(next - 1) - weekday + 7) % 7);
  }
  const first = dayOf(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1);
}

const summerTimes = new Map<number, { start: number; end: number }>();

/**
 * The two Sundays on which New York's clocks change, at 2:00: from 2007 by the Energy Policy Act of 2005, from 1987 to
 * 2006 by the rule of 1987. Not valid before 1987.
 */
function summerTime(year: number): { start: number; end: number } {
  const known = summerTimes.get(year);
  if (known !== undefined) return known;
  const found =
    year >= 2007
      ? { start: nthWeekday(year, 3, SUNDAY, 2), end: nthWeekday(year, 11, SUNDAY, 1) }
      : { start: nthWeekday(year, 4, SUNDAY, 1), end: nthWeekday(year, 10, SUNDAY, 'last') };
  summerTimes.set(year, found);
  return found;
}

/** The time at which New York's clocks show `minutes` past midnight on a day number. */
export function newYorkInstant(day: number, minutes: number): number {
  const { start, end } = summerTime(dateOf(day).year);
  const hours = minutes / 60;
  const summer = (day > start || (day === start && hours >= 2)) && (day < end || (day === end && hours < 2));
  return day * DAY + minutes * 60_000 + STANDARD_OFFSET - (summer ? HOUR : 0);
}

/** The time on New York's clocks at an instant, as the epoch ms at which a clock of UTC shows the same. */
export function newYorkTime(instant: number): number {
  const standard = instant - STANDARD_OFFSET;
  const { start, end } = summerTime(dateOf(Math.floor(standard / DAY)).year);
  const summer = standard >= start * DAY + 2 * HOUR && standard < end * DAY + HOUR;
  return summer ? standard + HOUR : standard;
}

/** The day number in New York at an instant. */
export const newYorkDay = (instant: number) => Math.floor(newYorkTime(instant) / DAY);

/** The day in America/New_York at an instant (epoch ms). */
export function marketDay(instant: number): string {
  return formatDay(newYorkDay(instant));
}

/** Midnight of a day in America/New_York; NaN for an invalid day. */
export function startOfMarketDay(day: string): number {
  return newYorkInstant(parseDay(day), 0);
}
