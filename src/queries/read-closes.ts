import { type IndexClose, parseIndexClose } from '#schema/index-close.ts';
import { queryOf, type TableClient } from './client.ts';
import { daysBefore, type MarketClock } from './market-clock.ts';
import { rowsOf } from './read-rows.ts';
import { NEWEST_PRICE, PAGE_ROWS } from './table-reads.ts';

/** Days that the page's own price chart covers: a month, as the provider's '1M'. */
const DAYS = 30;

/**
 * The S&P 500 over the month that ends with its newest row: the last row of every market day, ascending.
 * Empty without rows. Throws QueryError.
 */
export async function readCloses(client: TableClient, clock: MarketClock): Promise<IndexClose[]> {
  const { table, limit } = NEWEST_PRICE;
  const query = () => queryOf(client, NEWEST_PRICE);
  const [newest] = (await rowsOf(table, query().limit(limit), parseIndexClose)).rows;
  if (newest === undefined) return [];
  const lastDay = clock.marketDay(Date.parse(newest.created_at));
  const from = clock.startOfMarketDay(daysBefore(clock, lastDay, DAYS));
  // A month of rows every quarter of an hour of each session stays below one page.
  const month = query().gte('created_at', new Date(from).toISOString()).limit(PAGE_ROWS);
  const closes = new Map<string, IndexClose>();
  for (const row of (await rowsOf(table, month, parseIndexClose)).rows) {
    const day = clock.marketDay(Date.parse(row.created_at));
    if (!closes.has(day)) closes.set(day, row);
  }
  return [...closes.values()].reverse();
}
