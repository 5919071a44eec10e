import { startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { FearGreedComponent } from '#domain/fear-greed/components.ts';
import type { FearGreedSessionRow } from '#schema/columns.ts';
import { fearGreedReading } from './fear-greed-view.ts';
import { FEAR_GREED, timelineOf } from './timeline-view.ts';

export type SessionComponents = FearGreedSessionRow;

const YEAR = 365 * 86_400_000;

/** A component over the year that ends with the newest of these ascending rows; null with fewer than two values. */
export function sparklineView(rows: readonly SessionComponents[], component: FearGreedComponent) {
  const known = rows.flatMap(({ session, [component]: value }) =>
    value === null ? [] : [{ at: startOfMarketDay(session), value }],
  );
  const newest = rows.at(-1);
  const last = known.at(-1);
  if (newest === undefined || last === undefined || known.length < 2) return null;
  const { points, describe } = timelineOf(known, FEAR_GREED);
  const values = points.map(({ value }) => value);
  const written = (value: number) => fearGreedReading(value).text;
  const to = startOfMarketDay(newest.session);
  return {
    ...{ points, describe, from: to - YEAR, to },
    zone: fearGreedReading(last.value).zone,
    summary: `lowest ${written(Math.min(...values))}, highest ${written(Math.max(...values))}`,
  };
}
export type SparklineView = NonNullable<ReturnType<typeof sparklineView>>;
