import { asDisplayed, type Quantity } from '#domain/bands/precision.ts';
import { dateOf, dayOf, formatDay, parseDay } from '#domain/calendar/days.ts';
import {
  isSession,
  marketDay,
  sessionClose,
  sessionOpen,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import type { FearGreedComponent } from '#domain/fear-greed/components.ts';
import type { FearGreedPoint, FearGreedSessionRow } from '#schema/columns.ts';
import { writeClock, writeDay, writeDayWithoutYear, writeMonth } from './day.ts';
import { fearGreedReading } from './fear-greed-view.ts';
import { figureOf } from './number.ts';
import { FEAR_GREED_ZONES } from './zones.ts';

export interface TimelinePoint {
  at: number;
  value: number;
}

export interface TimelineLook {
  name: string;
  emptyText: string;
  quantity: Quantity;
  scale: { readonly low: number; readonly high: number };
  /** Lines across the chart with their text, dashed at the borders of the zones. */
  levels: readonly { value: number; text: string; dashed: boolean }[];
  zones: readonly { from: number; to: number; text: string; tone: string }[];
  read: (value: number) => { text: string; label: string; tone: string };
}

export const FEAR_GREED: TimelineLook = {
  name: 'Fear & Greed index',
  emptyText: 'No historical data available. Historical data will appear here once fetched.',
  quantity: 'score',
  ...percentScale(
    FEAR_GREED_ZONES.map(({ label, zone, ...edges }) => ({ ...edges, text: label, tone: `zone-${zone}` })),
  ),
  read: (value) => {
    const { text, label, zone } = fearGreedReading(value);
    return { text, label, tone: `zone-${zone}` };
  },
};

/** A scale of 0–100 with dashed lines at the borders of its zones (from the lowest up). */
export function percentScale(zones: TimelineLook['zones']) {
  const level = (dashed: boolean) => (value: number) => ({ value, text: String(value), dashed });
  const borders = zones.map(({ from }) => from).filter((from) => from > 0);
  return {
    scale: { low: 0, high: 100 },
    levels: [...[0, 100].map(level(false)), ...borders.map(level(true))],
    zones,
  };
}

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

/** Returns a function that describes a point by its index. Texts are made on demand, because few of a year's points are selected. */
function describerOf(points: readonly TimelinePoint[], { quantity, read }: TimelineLook) {
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
  const changeOf = (index: number, value: number) => {
    const before = points[index - 1];
    if (before === undefined) return { change: null, changeText: null };
    const change = figureOf(quantity, value - before.value, { signed: true });
    const since = `since ${dateTextOf(index - 1, before.at, writeDayWithoutYear)}`;
    return {
      change: change.text,
      changeText: `${change.value === 0 ? 'Unchanged' : change.text} ${since}`,
    };
  };
  const newest = points.at(-1)?.at ?? 0;
  return (index: number) => {
    const point = points[index];
    if (point === undefined) throw new RangeError(`The timeline has no point ${index}.`);
    const { at, value } = point;
    const session = marketDay(at);
    return {
      dateText: dateTextOf(index, at, writeDay),
      ...changeOf(index, value),
      session: isSession(session) && sessionClose(session) <= newest ? session : null,
      ...read(value),
    };
  };
}

function summaryOf(
  points: readonly TimelinePoint[],
  describe: ReturnType<typeof describerOf>,
  { name, emptyText }: TimelineLook,
): string {
  if (points.length === 0) return emptyText;
  const values = points.map(({ value }) => value);
  const written = (one: number) => {
    const { text, label, dateText } = describe(values.indexOf(one));
    return `${text} (${label}) on ${dateText}`;
  };
  const last = describe(points.length - 1);
  return `${name} from ${describe(0).dateText} to ${last.dateText}: lowest ${written(Math.min(...values))}, highest ${written(Math.max(...values))}, last ${last.text} (${last.label}).`;
}

export function timelineOf(values: readonly TimelinePoint[], look: TimelineLook) {
  const { name, emptyText, scale, levels, zones, quantity } = look;
  const points = values
    .map(({ at, value }) => ({ at, value: asDisplayed(quantity, value) }))
    .sort((a, b) => a.at - b.at);
  const describe = describerOf(points, look);
  const from = points[0]?.at ?? 0;
  const to = points.at(-1)?.at ?? 0;
  return {
    ...{ name, points, describe, from, to, scale, levels, zones, emptyText },
    ticks: points.length > 0 ? monthTicks(from, to) : [],
    summary: summaryOf(points, describe, look),
  };
}
export type TimelineView = ReturnType<typeof timelineOf>;

/** The Fear & Greed timeline. Separate from the dashboard, so that it is built only when its tab is opened. */
export const timelineView = (rows: readonly FearGreedPoint[]) =>
  timelineOf(
    rows.map(({ created_at, index_value }) => ({ at: Date.parse(created_at), value: index_value })),
    FEAR_GREED,
  );

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
