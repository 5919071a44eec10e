import { asDisplayed } from '#domain/bands/precision.ts';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { FearGreedComponent } from '#domain/fear-greed/components.ts';
import type { FearGreedSessionRow } from '#schema/columns.ts';
import { writeDay, writeDayWithoutYear } from './day.ts';
import { fearGreedReading } from './fear-greed-view.ts';
import { figureOf } from './number.ts';
import type { TimelinePoint } from './timeline-view.ts';

export type SessionComponents = FearGreedSessionRow;

const DAY = 86_400_000;
const DAYS = 365;

/** A component over the year that ends with the newest of these ascending rows; null with fewer than two values. */
export function sparklineView(rows: readonly SessionComponents[], component: FearGreedComponent) {
  const points = rows.flatMap(({ session, [component]: score }): TimelinePoint[] =>
    score === null ? [] : [{ at: parseDay(session) * DAY, value: asDisplayed('score', score) }],
  );
  const newest = rows.at(-1);
  const last = points.at(-1);
  if (newest === undefined || last === undefined || points.length < 2) return null;
  const dayOf = ({ at }: TimelinePoint) => formatDay(at / DAY);
  const describe = (index: number) => {
    const point = points[index];
    if (point === undefined) throw new RangeError(`The sparkline has no point ${index}.`);
    const before = points[index - 1];
    const change = before && figureOf('score', point.value - before.value, { signed: true });
    return {
      dateText: writeDay(dayOf(point)),
      changeText: before && change ? `${change.text} since ${writeDayWithoutYear(dayOf(before))}` : null,
      ...fearGreedReading(point.value),
    };
  };
  const values = points.map(({ value }) => value);
  const written = (value: number) => fearGreedReading(value).text;
  const to = parseDay(newest.session) * DAY;
  return {
    points,
    from: to - DAYS * DAY,
    to,
    zone: fearGreedReading(last.value).zone,
    describe,
    summary: `lowest ${written(Math.min(...values))}, highest ${written(Math.max(...values))}`,
  };
}
