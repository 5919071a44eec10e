import type { TableClient } from './client.ts';
import type { MarketClock } from './market-clock.ts';
import { closingSpan } from './market-days.ts';
import { rowsOf, type TableRead } from './read.ts';

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
  const { from, to } = closingSpan(clock, day);
  const query = client
    .from(read.table)
    .select(read.columns)
    .gte('created_at', from)
    .lt('created_at', to)
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
