import type { Database } from '#database/port.ts';
import { dayOf, storeDay } from '#record/days.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { readView } from '../page/read-view.ts';
import { createSnapshotReads } from '../page/snapshot-reads.ts';
import { readTables } from '../rest/tables.ts';

interface DayOptions {
  readonly database: Database;
  readonly source: { readonly name: MarketSource };
  /** Epoch ms. */
  readonly now: () => number;
  readonly productName?: string | undefined;
}

/** Stores the page as it is served after a run of `source`, if the run was of a session's close. Throws QueryError. */
export async function storePublishedDay({
  database,
  source,
  now,
  productName = 'Barometer',
}: DayOptions): Promise<void> {
  const inSnapshot = createSnapshotReads(database, await readTables(database));
  const at = now();
  const day = dayOf(await inSnapshot((send) => readView(send, at, productName)), at);
  if (day === null) return;
  await database.transaction((transaction) => storeDay(transaction, day, source.name));
}
