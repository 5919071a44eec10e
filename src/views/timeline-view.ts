import { asDisplayed } from '#domain/bands/precision.ts';
import { FEAR_GREED_BANDS } from '#domain/bands/score-bands.ts';
import { dateOf, dayOf, formatDay, parseDay } from '#domain/calendar/days.ts';
import {
  isSession,
  marketDay,
  sessionClose,
  sessionOpen,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import type { FearGreedPoint } from '#schema/market-rows.ts';
import { writeClock, writeDate, writeDay, writeMonth } from './day.ts';
import { fearGreedReading } from './fear-greed-view.ts';
import type { TimelinePoint, TimelineReading, TimelineView } from './model.ts';
import { figureOf } from './number.ts';
import { FEAR_GREED_ZONES } from './zones.ts';

const EMPTY = 'No historical data available. Historical data will appear here once fetched.';

/** The dashed lines are at the borders of the zones. */
const REFERENCES: readonly number[] = FEAR_GREED_BANDS.map(({ from }) => from)
  .filter((from) => from > 0)
  .reverse();

/** The first midnight in New York of every month between two instants. */
function monthTicks(from: number, to: number): { at: number; text: string }[] {
  const ticks: { at: number; text: string }[] = [];
  let { year, month } = dateOf(parseDay(marketDay(from)));
  for (;;) {
    const day = dayOf(year, month, 1);
    const at = startOfMarketDay(formatDay(day));
    if (at > to) return ticks;
    if (at >= from) ticks.push({ at, text: writeMonth(day) });
    year += month === 12 ? 1 : 0;
    month = (month % 12) + 1;
  }
}

/** The points as they are drawn, ascending. */
function pointsOf(rows: readonly FearGreedPoint[]): TimelinePoint[] {
  const points = rows.map(({ created_at, index_value }) => ({
    at: Date.parse(created_at),
    value: asDisplayed('score', index_value),
  }));
  const isAscending = points.every(({ at }, index) => index === 0 || at >= (points[index - 1]?.at ?? at));
  return isAscending ? points : points.sort((a, b) => a.at - b.at);
}

/**
 * Returns a function that describes a point by its index. Texts are made on demand, because few of a year's points are
 * selected.
 */
function describerOf(points: readonly TimelinePoint[]): (index: number) => TimelineReading {
  const sessionOf = (index: number) => {
    const point = points[index];
    return point && marketDay(point.at);
  };
  const dateTextOf = (index: number, at: number, write: (day: string) => string) => {
    const session = marketDay(at);
    const alone = sessionOf(index - 1) !== session && sessionOf(index + 1) !== session;
    // A reading within a session shows its time, so that it is not taken for the close.
    const within = isSession(session) && at > sessionOpen(session) && at < sessionClose(session);
    return alone && !within ? write(session) : `${write(session)}, ${writeClock(at)}`;
  };
  const changeTextOf = (index: number, value: number) => {
    const before = points[index - 1];
    if (before === undefined) return null;
    const change = figureOf('score', value - before.value, { signed: true });
    return `${change.text} since ${dateTextOf(index - 1, before.at, writeDate)}`;
  };
  const newest = points.at(-1)?.at ?? 0;
  return (index) => {
    const point = points[index];
    if (point === undefined) throw new RangeError(`The timeline has no point ${index}.`);
    const { at, value } = point;
    const session = marketDay(at);
    return {
      dateText: dateTextOf(index, at, writeDay),
      changeText: changeTextOf(index, value),
      session: isSession(session) && sessionClose(session) <= newest ? session : null,
      ...fearGreedReading(value),
    };
  };
}

function summaryOf(points: readonly TimelinePoint[], describe: (index: number) => TimelineReading): string {
  if (points.length === 0) return EMPTY;
  let low = 0;
  let high = 0;
  points.forEach(({ value }, index) => {
    if (value < (points[low]?.value ?? value)) low = index;
    if (value > (points[high]?.value ?? value)) high = index;
  });
  const written = (index: number) => {
    const { text, label, dateText } = describe(index);
    return `${text} (${label}) on ${dateText}`;
  };
  const last = describe(points.length - 1);
  return `Fear & Greed from ${describe(0).dateText} to ${last.dateText}: lowest ${written(low)}, highest ${written(high)}, last ${last.text} (${last.label}).`;
}

/** The Fear & Greed timeline. Separate from the dashboard, so that it is built only when its tab is opened. */
export function timelineView(rows: readonly FearGreedPoint[]): TimelineView {
  const points = pointsOf(rows);
  const describe = describerOf(points);
  const from = points[0]?.at ?? 0;
  const to = points.at(-1)?.at ?? 0;
  return {
    points,
    describe,
    from,
    to,
    ticks: points.length > 0 ? monthTicks(from, to) : [],
    references: REFERENCES,
    zones: FEAR_GREED_ZONES,
    emptyText: EMPTY,
    summary: summaryOf(points, describe),
  };
}
