import type {
  FearGreedPoint,
  FearGreedRow,
  FearGreedSessionRow,
  FigureRow,
  IndexClose,
  InputOriginRow,
  MarketStockRow,
  StoredFigure,
} from '#schema/columns.ts';
import type { DashboardRows, FearGreedReadings, MarketRows, WeekAgoRows } from '#schema/dashboard.ts';
import {
  dayAgo,
  dayBeforeOpened,
  daysBefore,
  type MarketClock,
  type SessionClock,
  weekBefore,
} from './market-clock.ts';
import { readAll, readFirst, readRows, type SendRead } from './read-rows.ts';
import {
  closingReads,
  type DashboardReads,
  dashboardReads,
  fearGreedClose,
  fearGreedPoint,
  figureYear,
  type MarketReads,
  NEWEST_PRICE,
  originsRead,
  PAGE_ROWS,
  STOCKS,
  sessionComponents,
  timelineRead,
} from './table-reads.ts';

/** Returns the rows of the newest batch, one for each key (specification, reading 4). Expects the newest rows first. */
export function newestBatch<Row extends { created_at: string }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  const newest = rows[0]?.created_at;
  const batch = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    if (row.created_at === newest && !batch.has(key)) batch.set(key, row);
  }
  return [...batch.values()];
}

async function readMarket(send: SendRead, reads: MarketReads): Promise<MarketRows> {
  const [metrics, sectors, indicators, sentiment, breadth] = await Promise.all([
    readFirst(send, reads.metrics),
    readRows(send, reads.sectors),
    readFirst(send, reads.indicators),
    readRows(send, reads.sentiment),
    readFirst(send, reads.breadth),
  ]);
  return {
    metrics,
    sectors: newestBatch(sectors, (row) => row.sector),
    indicators,
    sentiment: newestBatch(sentiment, (row) => row.timeframe),
    breadth,
  };
}

/** All points of the last 365 days, ascending, read page by page. Throws QueryError. */
export const readTimeline = (send: SendRead, clock: MarketClock): Promise<FearGreedPoint[]> =>
  readAll(send, timelineRead(clock));

const dayOf = (clock: MarketClock, row: FearGreedPoint) => clock.marketDay(Date.parse(row.created_at));

/**
 * Yesterday's close. On a Saturday or before the opening bell, that is the current reading itself, and there is none if
 * the data are old; then returns the close before the current reading. If the calendar predicts this case, both closes
 * are read at the same time.
 */
async function readPreviousClose(
  send: SendRead,
  clock: SessionClock,
  { previousClose, beforeOpened }: DashboardReads['earlier'],
  reading: Promise<FearGreedRow | null>,
): Promise<FearGreedRow | null> {
  const [current, yesterday, before] = await Promise.all([
    reading,
    readFirst(send, previousClose),
    beforeOpened && readFirst(send, beforeOpened),
  ]);
  if (current === null) return yesterday;
  const day = dayOf(clock, current);
  if (yesterday !== null && dayOf(clock, yesterday) !== day) return yesterday;
  const dayBefore = daysBefore(clock, day, 1);
  if (dayBefore === dayBeforeOpened(clock)) return before;
  return readFirst(send, fearGreedClose(clock, dayBefore));
}

/** The index now, its earlier closes and the last 365 days (only `withTimeline`), read in parallel. Throws QueryError. */
async function readFearGreed(
  send: SendRead,
  clock: SessionClock,
  { newest, earlier }: DashboardReads,
  withTimeline: boolean,
): Promise<FearGreedReadings> {
  const reading = readFirst(send, newest.fearGreed);
  const [current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    reading,
    readPreviousClose(send, clock, earlier, reading),
    readFirst(send, earlier.oneWeekAgo),
    readFirst(send, earlier.oneMonthAgo),
    readFirst(send, earlier.oneYearAgo),
    withTimeline ? readTimeline(send, clock) : [],
  ]);
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}

/** The session of the newest rows, `YYYY-MM-DD`; null without rows. */
function newestSession(clock: MarketClock, rows: WeekAgoRows): string | null {
  const { metrics, sectors, indicators, sentiment, breadth, fearGreed } = rows;
  const instants = [metrics, sectors[0], indicators, sentiment[0], breadth, fearGreed].flatMap((row) =>
    row == null ? [] : Date.parse(row.created_at),
  );
  return instants.length === 0 ? null : clock.marketDay(Math.max(...instants));
}

/**
 * The rows of a week before the newest ones, whatever the clock says: before the opening bell, on a holiday and with old
 * data, the day a week before the clock is later than that. `known` has the rows of that day, which are mostly the same.
 */
async function readWeekAgo(
  send: SendRead,
  clock: MarketClock,
  newest: WeekAgoRows,
  known: WeekAgoRows,
): Promise<WeekAgoRows> {
  const session = newestSession(clock, newest);
  const day = dayAgo(clock, 'oneWeekAgo');
  if (session === null) return known;
  const wanted = weekBefore(clock, session);
  const found = newestSession(clock, known);
  if (wanted === day || (wanted < day && found !== null && found <= wanted)) return known;
  const [market, fearGreed] = await Promise.all([
    readMarket(send, closingReads(clock, wanted)),
    readFirst(send, fearGreedPoint(clock, wanted)),
  ]);
  return { ...market, fearGreed };
}

/** Reads all seven groups in parallel, the timeline only `withTimeline`. Throws QueryError. */
export async function readDashboard(
  send: SendRead,
  clock: SessionClock,
  withTimeline: boolean,
): Promise<DashboardRows> {
  const reads = dashboardReads(clock);
  const [indices, fearGreed, market, weekAgo] = await Promise.all([
    readRows(send, reads.newest.indices),
    readFearGreed(send, clock, reads, withTimeline),
    readMarket(send, reads.newest),
    readMarket(send, reads.weekAgo),
  ]);
  return {
    indices: newestBatch(indices, (row) => row.symbol),
    fearGreed,
    ...market,
    weekAgo: await readWeekAgo(
      send,
      clock,
      { ...market, fearGreed: fearGreed.current },
      { ...weekAgo, fearGreed: fearGreed.oneWeekAgo },
    ),
  };
}

/** The origins of the rows of this time (ISO), one row per input. Empty if not recorded. Throws QueryError. */
export async function readOrigins(send: SendRead, createdAt: string): Promise<InputOriginRow[]> {
  const rows = await readRows(send, originsRead(createdAt));
  return [...new Map(rows.map((row) => [row.input, row])).values()];
}

/** A figure in the last 365 days, ascending. Empty without rows. Throws QueryError. */
export async function readFigureYear(
  send: SendRead,
  clock: MarketClock,
  figure: StoredFigure,
): Promise<FigureRow[]> {
  const rows = await readAll(send, figureYear(clock, figure));
  return rows.map((row) => ({
    value: row[figure.column],
    universe: figure.universe === undefined ? null : row[figure.universe],
    created_at: row.created_at,
  }));
}

/** The components of Fear & Greed at the end of each session of the last 365 days, ascending. Throws QueryError. */
export const readComponents = (send: SendRead, clock: MarketClock): Promise<FearGreedSessionRow[]> =>
  readRows(send, sessionComponents(clock));

/** The stocks of the newest row set. Empty if not recorded. Throws QueryError. */
export async function readStocks(send: SendRead): Promise<MarketStockRow[]> {
  return newestBatch(await readRows(send, STOCKS), (row) => row.symbol);
}

/** Days that the page's own price chart covers: a month, as the provider's '1M'. */
const CLOSES_DAYS = 30;

/** The last S&P 500 row of each market day of the month up to the newest row, ascending. Throws QueryError. */
export async function readCloses(send: SendRead, clock: MarketClock): Promise<IndexClose[]> {
  const newest = await readFirst(send, NEWEST_PRICE);
  if (newest === null) return [];
  const lastDay = clock.marketDay(Date.parse(newest.created_at));
  const from = clock.startOfMarketDay(daysBefore(clock, lastDay, CLOSES_DAYS));
  // A month of rows every 15 minutes of each session fits one page.
  const month: typeof NEWEST_PRICE = {
    ...NEWEST_PRICE,
    filters: [...(NEWEST_PRICE.filters ?? []), ['created_at', 'gte', new Date(from).toISOString()]],
    limit: PAGE_ROWS,
  };
  const closes = new Map<string, IndexClose>();
  for (const row of await readRows(send, month)) {
    const day = clock.marketDay(Date.parse(row.created_at));
    if (!closes.has(day)) closes.set(day, row);
  }
  return [...closes.values()].reverse();
}
