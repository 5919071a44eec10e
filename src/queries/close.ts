import type { TableClient } from './client.ts';
import { daysBefore, endOfMarketDay, type MarketClock } from './market-clock.ts';
import { rowsOf, type TableRead } from './read.ts';

/** The windows of the specification, in days. */
export const HISTORY_DAYS = { previousClose: 1, oneWeekAgo: 7, oneMonthAgo: 30, oneYearAgo: 365 } as const;
/** Reading 2: how far before a day without a row the last session before it may lie. */
const STAND_IN_DAYS = 5;

/** The market day a window lies back from now. */
export function dayAgo(clock: MarketClock, window: keyof typeof HISTORY_DAYS): string {
  return daysBefore(clock, clock.marketDay(clock.now), HISTORY_DAYS[window]);
}

/**
 * The latest rows within a market day, else those of the last session of the five days before it: both are
 * the newest rows of one span of time, hence one read.
 */
export async function readClosingRows<Row>(
  client: TableClient,
  clock: MarketClock,
  day: string,
  read: TableRead<Row>,
  limit: number,
): Promise<Row[]> {
  const from = clock.startOfMarketDay(daysBefore(clock, day, STAND_IN_DAYS));
  const query = client
    .from(read.table)
    .select(read.columns)
    .gte('created_at', new Date(from).toISOString())
    .lt('created_at', new Date(endOfMarketDay(clock, day)).toISOString())
    .order('created_at', { ascending: false })
    .limit(limit);
  return (await rowsOf(read, query)).rows;
}

/** The one such row of a table; null without any. */
export async function readClose<Row>(
  client: TableClient,
  clock: MarketClock,
  day: string,
  read: TableRead<Row>,
): Promise<Row | null> {
  return (await readClosingRows(client, clock, day, read, 1))[0] ?? null;
}
