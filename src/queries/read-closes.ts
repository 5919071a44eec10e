import type { IndexClose } from '#schema/columns.ts';
import { daysBefore, type MarketClock } from './market-clock.ts';
import { readFirst, readRows, type SendRead } from './read-rows.ts';
import { NEWEST_PRICE, PAGE_ROWS } from './table-reads.ts';

/** Days that the page's own price chart covers: a month, as the provider's '1M'. */
const DAYS = 30;

/** The last S&P 500 row of each market day of the month up to the newest row, ascending. Throws QueryError. */
export async function readCloses(send: SendRead, clock: MarketClock): Promise<IndexClose[]> {
  const newest = await readFirst(send, NEWEST_PRICE);
  if (newest === null) return [];
  const lastDay = clock.marketDay(Date.parse(newest.created_at));
  const from = clock.startOfMarketDay(daysBefore(clock, lastDay, DAYS));
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
