import type { Database } from '#database/port.ts';
import { dayOf, sessionToStore, storeDay } from '#record/days.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { readView } from '../page/read-view.ts';
import { createSnapshotReads } from '../page/snapshot-reads.ts';

interface DayOptions {
  readonly database: Database;
  readonly source: { readonly name: MarketSource };
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly productName?: string | undefined;
}

/**
 * Stores the page as the server shows it after a run of `source`. Does nothing unless the run was made after the close
 * of a session. Throws QueryError.
 */
export async function storePublishedDay({
  database,
  source,
  now,
  productName = 'Barometer',
}: DayOptions): Promise<void> {
  const at = now();
  if (sessionToStore(at) === null) return;
  const inSnapshot = createSnapshotReads(database);
  const day = dayOf(await inSnapshot((send) => readView(send, at, productName)), at);
  if (day === null) return;
  await database.transaction((transaction) => storeDay(transaction, day, source.name));
}
