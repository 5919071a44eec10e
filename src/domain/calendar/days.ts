/* Calendar days as whole numbers (days since 1970-01-01) and as text (`YYYY-MM-DD`), without time of day or time zone. */
const DAY = 86_400_000;

/** The day number of a date; `month` and `date` count from 1. */
export function dayOf(year: number, month: number, date: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, date) / DAY;
}

/** The date of a day number; `month` and `date` count from 1. */
export function dateOf(day: number): { year: number; month: number; date: number } {
  const at = new Date(day * DAY);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() };
}

/** The weekday of a day number: 0 is Sunday, 6 is Saturday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** The day number of the nth, or the last, weekday of a month; 0 is Sunday. */
export function nthWeekday(year: number, month: number, weekday: number, nth: number | 'last'): number {
  if (nth === 'last') {
    const last = dayOf(year, month + 1, 0);
    return last - ((weekdayOf(last) - weekday + 7) % 7);
  }
  const first = dayOf(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1);
}

/** The day number of `YYYY-MM-DD`; NaN if the text is not an existing day. */
export function parseDay(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.NaN;
  const at = new Date(text);
  return at.getUTCDate() === Number(text.slice(8)) ? at.getTime() / DAY : Number.NaN;
}

/** Writes a day number as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  const { year, month, date } = dateOf(day);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
}
