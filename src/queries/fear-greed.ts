import type { FearGreedPoint, FearGreedReadings } from '#schema/dashboard.ts';
import { FEAR_GREED_INDEX_COLUMNS, parseFearGreed } from '#schema/fear-greed-index.ts';
import type { TableClient } from './client.ts';
import { daysBefore, endOfMarketDay, type MarketClock } from './market-clock.ts';
import { readLatest, rowsOf, type TableRead } from './read.ts';

const TABLE = 'fear_greed_index';
const CURRENT = { table: TABLE, columns: FEAR_GREED_INDEX_COLUMNS, parse: parseFearGreed } as const;
const POINTS: TableRead<FearGreedPoint> = {
  table: TABLE,
  columns: 'index_value,index_label,created_at',
  parse: (value) => {
    const row = parseFearGreed(value);
    if (row === null) return null;
    const { index_value, index_label, created_at } = row;
    return { index_value, index_label, created_at };
  },
};

/** The windows of the specification, in days. */
export const HISTORY_DAYS = { previousClose: 1, oneWeekAgo: 7, oneMonthAgo: 30, oneYearAgo: 365 } as const;
/** Reading 2: how far before a day without a row the last session before it may lie. */
const STAND_IN_DAYS = 5;
/** What a hosted backend answers at most, however much is asked for. */
const PAGE_ROWS = 1000;

/**
 * The latest row within a market day, else the last one of the five days before it: both are the newest
 * row of one span of time, hence one read.
 */
async function readClose(
  client: TableClient,
  clock: MarketClock,
  day: string,
): Promise<FearGreedPoint | null> {
  const from = clock.startOfMarketDay(daysBefore(clock, day, STAND_IN_DAYS));
  const query = client
    .from(TABLE)
    .select(POINTS.columns)
    .gte('created_at', new Date(from).toISOString())
    .lt('created_at', new Date(endOfMarketDay(clock, day)).toISOString())
    .order('created_at', { ascending: false })
    .limit(1);
  return (await rowsOf(POINTS, query)).rows[0] ?? null;
}

/** All points from an instant on, ascending, page after page until there are no more. */
async function readTimeline(client: TableClient, from: number): Promise<FearGreedPoint[]> {
  const points: FearGreedPoint[] = [];
  let offset = 0;
  let expected: number | null = null;
  for (;;) {
    const query = client
      .from(TABLE)
      .select(POINTS.columns, offset === 0 ? { count: 'exact' } : {})
      .gte('created_at', new Date(from).toISOString())
      .order('created_at', { ascending: true })
      .range(offset, offset + PAGE_ROWS - 1);
    const { rows, received, total } = await rowsOf(POINTS, query);
    points.push(...rows);
    offset += received;
    // A server may cap its answers below our page, so the total decides where it is told.
    expected ??= Number.isFinite(total) ? total : null;
    const done = expected === null ? received < PAGE_ROWS : offset >= expected;
    if (done || received === 0) return points;
  }
}

/** Whether two rows are of one market day. */
function onOneDay(clock: MarketClock, a: FearGreedPoint | null, b: FearGreedPoint | null): boolean {
  if (a === null || b === null) return false;
  return clock.marketDay(Date.parse(a.created_at)) === clock.marketDay(Date.parse(b.created_at));
}

/** The index now, its earlier closes and the last 365 days, read in parallel. Throws QueryError. */
export async function readFearGreed(client: TableClient, clock: MarketClock): Promise<FearGreedReadings> {
  const today = clock.marketDay(clock.now);
  const dayAgo = (days: number) => daysBefore(clock, today, days);
  const [current, yesterday, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    readLatest(client, CURRENT),
    readClose(client, clock, dayAgo(HISTORY_DAYS.previousClose)),
    readClose(client, clock, dayAgo(HISTORY_DAYS.oneWeekAgo)),
    readClose(client, clock, dayAgo(HISTORY_DAYS.oneMonthAgo)),
    readClose(client, clock, dayAgo(HISTORY_DAYS.oneYearAgo)),
    readTimeline(client, clock.startOfMarketDay(dayAgo(HISTORY_DAYS.oneYearAgo))),
  ]);
  // On a Saturday yesterday's close is the current reading itself: the close before it is meant.
  const previousClose =
    current !== null && onOneDay(clock, current, yesterday)
      ? await readClose(client, clock, daysBefore(clock, clock.marketDay(Date.parse(current.created_at)), 1))
      : yesterday;
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}
