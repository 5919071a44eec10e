import { dateOf, formatDay, nthWeekday, parseDay } from './days.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUNDAY = 0;

/**
 * True in summer time: `hours` is New York's clock since 1970, and `end` its hour at which summer time ends. By the
 * Energy Policy Act of 2005, before 2007 by the rule of 1987; not valid before.
 */
function isSummer(hours: number, end: number): boolean {
  const { year } = dateOf(Math.floor(hours / 24));
  const [first, last] =
    year < 2007
      ? [nthWeekday(year, 4, SUNDAY, 1), nthWeekday(year, 10, SUNDAY, 'last')]
      : [nthWeekday(year, 3, SUNDAY, 2), nthWeekday(year, 11, SUNDAY, 1)];
  return hours >= 24 * first + 2 && hours < 24 * last + end;
}

/** The time on New York's clocks at an instant, as the epoch ms at which a clock of UTC shows the same. */
export const newYorkTime = (instant: number) => instant - (isSummer(instant / HOUR - 5, 1) ? 4 : 5) * HOUR;

/** The instant at which New York's clocks first show `minutes` past midnight; skipped minutes count as summer time. */
export const newYorkInstant = (day: number, minutes: number) =>
  day * DAY + minutes * 60_000 + (isSummer(24 * day + minutes / 60, 2) ? 4 : 5) * HOUR;

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
