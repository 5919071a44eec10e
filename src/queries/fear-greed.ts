import type { FearGreedPoint, FearGreedReadings } from '#schema/dashboard.ts';
import { FEAR_GREED_INDEX_COLUMNS, type FearGreedRow, parseFearGreed } from '#schema/fear-greed-index.ts';
import type { TableClient } from './client.ts';
import { dayAgo, readClose } from './close.ts';
import { daysBefore, type MarketClock, type SessionClock } from './market-clock.ts';
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

/** All points of the last 365 days, ascending, page after page until there are no more. Throws QueryError. */
export async function readTimeline(client: TableClient, clock: MarketClock): Promise<FearGreedPoint[]> {
  const from = clock.startOfMarketDay(dayAgo(clock, 'oneYearAgo'));
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

const dayOf = (clock: MarketClock, row: FearGreedPoint) => clock.marketDay(Date.parse(row.created_at));

/**
 * The close of yesterday. On a Saturday, or before the opening bell, that is the current reading itself: the
 * close before it is meant. It is asked for at once where the calendar foretells it, so that nothing waits.
 */
async function readPreviousClose(
  client: TableClient,
  clock: SessionClock,
  reading: Promise<FearGreedRow | null>,
): Promise<FearGreedRow | null> {
  const opened = clock.newestOpenedSession(clock.now);
  const closeBefore = (day: string) => readClose(client, clock, daysBefore(clock, day, 1), ROWS);
  const [current, yesterday, beforeOpened] = await Promise.all([
    reading,
    readClose(client, clock, dayAgo(clock, 'previousClose'), ROWS),
    opened === clock.marketDay(clock.now) ? null : closeBefore(opened),
  ]);
  if (current === null || yesterday === null) return yesterday;
  const day = dayOf(clock, current);
  if (dayOf(clock, yesterday) !== day) return yesterday;
  return day === opened ? beforeOpened : closeBefore(day);
}

/** The index now, its earlier closes and the last 365 days, read in parallel. Throws QueryError. */
export async function readFearGreed(client: TableClient, clock: SessionClock): Promise<FearGreedReadings> {
  const reading = readLatest(client, ROWS);
  const [current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    reading,
    readPreviousClose(client, clock, reading),
    readClose(client, clock, dayAgo(clock, 'oneWeekAgo'), POINTS),
    readClose(client, clock, dayAgo(clock, 'oneMonthAgo'), POINTS),
    readClose(client, clock, dayAgo(clock, 'oneYearAgo'), POINTS),
    readTimeline(client, clock),
  ]);
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}
