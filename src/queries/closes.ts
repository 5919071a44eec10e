import { INDEX_CLOSE_COLUMNS, type IndexClose, parseIndexClose } from '#schema/index-close.ts';
import type { TableClient } from './client.ts';
import { daysBefore, type MarketClock } from './market-clock.ts';
import { rowsOf, type TableRead } from './read.ts';

/** The index behind the page's own price chart, and how many days it covers: a month, as the provider's '1M'. */
const SYMBOL = 'SPX';
const DAYS = 30;
/** A month of rows every quarter of an hour while the exchange trades stays below. */
const MOST_ROWS = 1000;

const CLOSES: TableRead<IndexClose> = {
  table: 'market_indices',
  columns: INDEX_CLOSE_COLUMNS,
  parse: parseIndexClose,
};

const newestFirst = (client: TableClient) =>
  client
    .from(CLOSES.table)
    .select(CLOSES.columns)
    .eq('symbol', SYMBOL)
    // A row without a price must not be the newest.
    .gt('price', 0)
    .order('created_at', { ascending: false });

/**
 * The S&P 500 over the month that ends with its newest row: the last row of every market day, ascending.
 * Empty without rows. Throws QueryError.
 */
export async function readCloses(client: TableClient, clock: MarketClock): Promise<IndexClose[]> {
  const [newest] = (await rowsOf(CLOSES, newestFirst(client).limit(1))).rows;
  if (newest === undefined) return [];
  const lastDay = clock.marketDay(Date.parse(newest.created_at));
  const from = clock.startOfMarketDay(daysBefore(clock, lastDay, DAYS));
  const month = newestFirst(client).gte('created_at', new Date(from).toISOString()).limit(MOST_ROWS);
  const closes = new Map<string, IndexClose>();
  for (const row of (await rowsOf(CLOSES, month)).rows) {
    const day = clock.marketDay(Date.parse(row.created_at));
    if (!closes.has(day)) closes.set(day, row);
  }
  return [...closes.values()].reverse();
}
