import { dateOf, dayOf, formatDay, parseDay, weekdayOf } from './days.ts';

const DAYS_A_WEEK = 7;
const WEEK = /^(\d{4})-W(\d{2})$/;

/** The Monday (day number) of the ISO week that contains a day. */
const mondayOf = (day: number) => day - ((weekdayOf(day) + DAYS_A_WEEK - 1) % DAYS_A_WEEK);

/** The Monday (`YYYY-MM-DD`) of the week that contains a day. */
export function weekStart(day: string): string {
  return formatDay(mondayOf(parseDay(day)));
}

/** The day a number of weeks after a day; before it if `weeks` is negative. */
export function weeksAfter(day: string, weeks: number): string {
  return formatDay(parseDay(day) + weeks * DAYS_A_WEEK);
}

/** The ISO 8601 week of a day (`YYYY-MM-DD`): '2026-W47'. The year is that of the week's Thursday. */
export function isoWeekOf(day: string): string {
  const monday = mondayOf(parseDay(day));
  const { year } = dateOf(monday + 3);
  const first = mondayOf(dayOf(year, 1, 4));
  return `${year}-W${String((monday - first) / DAYS_A_WEEK + 1).padStart(2, '0')}`;
}

/** The Monday (`YYYY-MM-DD`) of a week such as '2026-W47'; null for any other text, and for a week that does not exist. */
export function mondayOfIsoWeek(text: string): string | null {
  const [, year, number] = WEEK.exec(text) ?? [];
  if (year === undefined) return null;
  const monday = weeksAfter(weekStart(`${year}-01-04`), Number(number) - 1);
  return isoWeekOf(monday) === text ? monday : null;
}
