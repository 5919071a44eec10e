import type { FearGreedPoint, FearGreedReadings } from '#schema/dashboard.ts';
import { FEAR_GREED_INDEX_COLUMNS, parseFearGreed } from '#schema/fear-greed-index.ts';
import type { TableClient } from './client.ts';
import { dayAgo, readClose } from './close.ts';
import { daysBefore, type MarketClock } from './market-clock.ts';
import { readLatest, rowsOf, type TableRead } from './read.ts';

const TABLE = 'fear_greed_index';
const ROWS = { table: TABLE, columns: FEAR_GREED_INDEX_COLUMNS, parse: parseFearGreed } as const;
const POINTS: TableRead<FearGreedPoint> = {
  table: TABLE,
  columns: 'index_value,index_label,created_at',
  parse: parsePoint,
};

/** The point in an untrusted value; null when it cannot be read. */
export function parsePoint(value: unknown): FearGreedPoint | null {
  const row = parseFearGreed(value);
  if (row === null) return null;
  const { index_value, index_label, created_at } = row;
  return { index_value, index_label, created_at };
}

/** What a hosted backend answers at most, however much is asked for. */
const PAGE_ROWS = 1000;

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
  const yearAgo = dayAgo(clock, 'oneYearAgo');
  const [current, yesterday, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    readLatest(client, ROWS),
    readClose(client, clock, dayAgo(clock, 'previousClose'), ROWS),
    readClose(client, clock, dayAgo(clock, 'oneWeekAgo'), POINTS),
    readClose(client, clock, dayAgo(clock, 'oneMonthAgo'), POINTS),
    readClose(client, clock, yearAgo, POINTS),
    readTimeline(client, clock.startOfMarketDay(yearAgo)),
  ]);
  // On a Saturday yesterday's close is the current reading itself: the close before it is meant.
  const previousClose =
    current !== null && onOneDay(clock, current, yesterday)
      ? await readClose(
          client,
          clock,
          daysBefore(clock, clock.marketDay(Date.parse(current.created_at)), 1),
          ROWS,
        )
      : yesterday;
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}
