import { dateOf, parseDay, weekdayOf } from '#domain/calendar/days.ts';
import { isSessionClose, marketDay, newYorkTime } from '#domain/calendar/sessions.ts';
import { unbroken } from './number.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** 'Nov 2026'. */
export function writeMonth(day: number): string {
  const { year, month } = dateOf(day);
  return `${MONTHS[month - 1] ?? ''} ${year}`;
}

/** '13 Nov', from `YYYY-MM-DD`, for places that need no year or weekday. */
export function writeDateAndMonth(day: string): string {
  const { month, date } = dateOf(parseDay(day));
  return `${date} ${MONTHS[month - 1] ?? ''}`;
}

/** '13 Nov 2026', from `YYYY-MM-DD`. */
export const writeDate = (day: string) => `${writeDateAndMonth(day)} ${day.slice(0, 4)}`;

/** '13 Nov 2026', from `YYYY-MM-DD`, which breaks only before the year, for narrow columns. */
export const writeNarrowDate = (day: string) => `${unbroken(writeDateAndMonth(day))} ${day.slice(0, 4)}`;

/** 'Fri 13 Nov', from `YYYY-MM-DD`, for places that need no year. */
export function writeDayWithoutYear(day: string): string {
  return `${WEEKDAYS[weekdayOf(parseDay(day))] ?? ''} ${writeDateAndMonth(day)}`;
}

/** 'Fri 13 Nov 2026', from `YYYY-MM-DD`. */
export function writeDay(day: string): string {
  return `${writeDayWithoutYear(day)} ${day.slice(0, 4)}`;
}

/** '14:05', the time in New York at an instant. */
export const writeClock = (instant: number) => new Date(newYorkTime(instant)).toUTCString().slice(17, 22);

/**
 * The time of a row in New York: its day, the instant (epoch ms), and 'Fri 13 Nov 2026, close' or 'Fri 13 Nov 2026, 14:05
 * New York time'.
 */
export function asOf(createdAt: string) {
  const instant = Date.parse(createdAt);
  const session = marketDay(instant);
  if (isSessionClose(instant)) return { session, instant, text: `${writeDay(session)}, close` };
  return { session, instant, text: `${writeDay(session)}, ${writeClock(instant)} New York time` };
}

export type AsOf = ReturnType<typeof asOf>;

/** The age of a panel's rows. `older` is 'As of Thu 12 Nov 2026, close' if `newest`, that of the page, is of a later session. */
export function panelAsOf(createdAt: string, newest: string | null) {
  const own = asOf(createdAt);
  const behind = newest !== null && own.session < marketDay(Date.parse(newest));
  return { ...own, older: behind ? `As of ${own.text}` : null };
}
export type PanelAsOf = ReturnType<typeof panelAsOf>;
