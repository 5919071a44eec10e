import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { weeksAfter } from '#domain/calendar/iso-week.ts';
import type { IssuedSignalRow } from '#schema/record-rows.ts';

const WEEKS = 26;
const DAYS_A_WEEK = 7;
/** Minimum number of weeks with a following week, for a share in percent. */
const ENOUGH = 26;
const TOP = 100;

function stabilityText(weeks: readonly IssuedSignalRow[]): string | null {
  const verdictOf = new Map(weeks.map(({ week, verdict }) => [week, verdict]));
  const pairs = weeks.flatMap(({ week, verdict }) => {
    const after = verdictOf.get(weeksAfter(week, 1));
    return verdict === null || after == null ? [] : [{ changed: after !== verdict }];
  });
  if (pairs.length < ENOUGH) return null;
  const share = Math.round((100 * pairs.filter(({ changed }) => changed).length) / pairs.length);
  return `The next week had another verdict in ${share}% of the weeks on record.`;
}

/**
 * The scores of the last 26 weeks of one market, ascending, as a path: a week per unit, 100 at the top. Null with fewer than
 * two scores.
 */
export function trailView(weeks: readonly IssuedSignalRow[]) {
  const newest = weeks.at(-1);
  if (newest === undefined) return null;
  const last = parseDay(newest.week);
  const points = weeks.flatMap(({ week, score }) => {
    const at = WEEKS - 1 - (last - parseDay(week)) / DAYS_A_WEEK;
    return score === null || at < 0 ? [] : [{ at, score: roundTo(score, DISPLAYED_DECIMALS.score) }];
  });
  const [first] = points;
  if (first === undefined || points.length < 2) return null;
  const scores = points.map(({ score }) => score);
  const count = WEEKS - first.at;
  return {
    path: `M${points.map(({ at, score }) => `${at - first.at} ${roundTo(TOP - score, DISPLAYED_DECIMALS.score)}`).join(' ')}`,
    weeks: count,
    low: Math.min(...scores),
    high: Math.max(...scores),
    text: `${count} weeks`,
    stabilityText: stabilityText(weeks),
  };
}
export type TrailView = NonNullable<ReturnType<typeof trailView>>;
