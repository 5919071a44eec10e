/**
 * Calendar days as whole numbers (days since 1970-01-01) and as text (`YYYY-MM-DD`), without time of day or time zone.
 * The algorithm is Howard Hinnant's civil-from-days, https://howardhinnant.github.io/date_algorithms.html
 */
const DAYS_TO_1970 = 719_468;
const DAYS_PER_ERA = 146_097;

/** The day number of a date; `month` and `date` count from 1. */
export function dayOf(year: number, month: number, date: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_TO_1970;
}

/** The date of a day number; `month` and `date` count from 1. */
export function dateOf(day: number): { year: number; month: number; date: number } {
  const shifted = day + DAYS_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date };
}

/** The weekday of a day number: 0 is Sunday, 6 is Saturday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

/** The day number of the nth, or the last, weekday of a month; 0 is Sunday. */
export function nthWeekday(year: number, month: number, weekday: number, nth: number | 'last'): number {
  if (nth === 'last') {
    const next = month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1);
    return next - 1 - ((weekdayOf(next - 1) - weekday + 7) % 7);
  }
  const first = dayOf(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (nth - 1);
}

/** The day number of `YYYY-MM-DD`; NaN if the text is not an existing day. */
export function parseDay(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return Number.NaN;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const date = Number(text.slice(8, 10));
  if (month < 1 || month > 12) return Number.NaN;
  const day = dayOf(year, month, date);
  return date >= 1 && dateOf(day).month === month ? day : Number.NaN;
}

/** Writes a day number as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  const { year, month, date } = dateOf(day);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;
}
