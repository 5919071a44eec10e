import { formatDay, parseDay } from '../calendar/days.ts';

const DAYS_A_WEEK = 7;

/**
 * The weeks without a decision between the first and the last decided week, ascending. Weeks are Mondays,
 * `YYYY-MM-DD`, in any order.
 */
export function missingWeeks(decided: readonly string[]): string[] {
  const weeks = [...new Set(decided)].map(parseDay).sort((a, b) => a - b);
  return weeks.flatMap((week, at) => {
    const missing: string[] = [];
    for (let day = (weeks[at - 1] ?? week) + DAYS_A_WEEK; day < week; day += DAYS_A_WEEK)
      missing.push(formatDay(day));
    return missing;
  });
}
