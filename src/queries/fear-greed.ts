import type { FearGreedPoint, FearGreedReadings } from '#schema/dashboard.ts';
import { type FearGreedRow, parseFearGreed } from '#schema/fear-greed-index.ts';
import type { TableClient } from './client.ts';
import { readClose } from './close.ts';
import { DASHBOARD_TABLES, PAGE_ROWS, POINT_COLUMNS } from './dashboard-tables.ts';
import { daysBefore, type MarketClock, type SessionClock } from './market-clock.ts';
import { dayAgo, dayBeforeOpened, timelineFrom } from './market-days.ts';
import { readLatest, rowsOf, type TableRead } from './read.ts';

const { table: TABLE, columns: COLUMNS } = DASHBOARD_TABLES.fearGreed;
const ROWS = { table: TABLE, columns: COLUMNS, parse: parseFearGreed } as const;
const POINTS: TableRead<FearGreedPoint> = { table: TABLE, columns: POINT_COLUMNS, parse: parsePoint };

/** The point in an untrusted value; null when it cannot be read. */
export function parsePoint(value: unknown): FearGreedPoint | null {
  const row = parseFearGreed(value);
  if (row === null) return null;
  const { index_value, index_label, created_at } = row;
  return { index_value, index_label, created_at };
}

/** All points of the last 365 days, ascending, page after page until there are no more. Throws QueryError. */
export async function readTimeline(client: TableClient, clock: MarketClock): Promise<FearGreedPoint[]> {
  const from = timelineFrom(clock);
  const points: FearGreedPoint[] = [];
  let offset = 0;
  let expected: number | null = null;
  for (;;) {
    const query = client
      .from(TABLE)
      .select(POINTS.columns, offset === 0 ? { count: 'exact' } : {})
      .gte('created_at', from)
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
  const beforeOpenedDay = dayBeforeOpened(clock);
  const [current, yesterday, beforeOpened] = await Promise.all([
    reading,
    readClose(client, clock, dayAgo(clock, 'previousClose'), ROWS),
    beforeOpenedDay === null ? null : readClose(client, clock, beforeOpenedDay, ROWS),
  ]);
  if (current === null || yesterday === null) return yesterday;
  const day = dayOf(clock, current);
  if (dayOf(clock, yesterday) !== day) return yesterday;
  const dayBefore = daysBefore(clock, day, 1);
  return dayBefore === beforeOpenedDay ? beforeOpened : readClose(client, clock, dayBefore, ROWS);
}

/**
 * The index now, its earlier closes and the last 365 days, read in parallel; the last are left out without
 * `history`. Throws QueryError.
 */
export async function readFearGreed(
  client: TableClient,
  clock: SessionClock,
  { history }: { history: boolean },
): Promise<FearGreedReadings> {
  const reading = readLatest(client, ROWS);
  const [current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    reading,
    readPreviousClose(client, clock, reading),
    readClose(client, clock, dayAgo(clock, 'oneWeekAgo'), POINTS),
    readClose(client, clock, dayAgo(clock, 'oneMonthAgo'), POINTS),
    readClose(client, clock, dayAgo(clock, 'oneYearAgo'), POINTS),
    history ? readTimeline(client, clock) : [],
  ]);
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}
