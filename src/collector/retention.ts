import type { Transaction } from '#database/port.ts';
import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import { BATCH_TABLE, PUBLISHED_TABLES } from './publish/tables.ts';

/** Row sets of open sessions are kept this long; after that one row set a session is (reading 3). */
const INTRADAY_DAYS = 30;
const MS_PER_DAY = 86_400_000;

/**
 * Which batches (epoch ms) go: those of sessions more than 30 days ago that are not their session's last
 * word, which is the closing row set, or the latest where the close was never seen.
 */
export function expiredBatches(batches: readonly number[], now: number): number[] {
  const old = batches.filter((batch) => batch < now - INTRADAY_DAYS * MS_PER_DAY);
  const kept = new Map<string, number>();
  for (const batch of old) {
    const session = marketDay(batch);
    const before = kept.get(session);
    if (before === sessionClose(session)) continue;
    if (before === undefined || batch === sessionClose(session) || batch > before) kept.set(session, batch);
  }
  const stays = new Set(kept.values());
  return old.filter((batch) => !stays.has(batch));
}

/** Removes the collector's rows that are past their time; answers how many batches went. */
export async function removeExpired(transaction: Transaction, now: number): Promise<number> {
  const batches = await transaction.query<{ at: number }>(
    `select distinct (extract(epoch from created_at) * 1000)::double precision as at
     from public.${BATCH_TABLE} where source is not null and created_at < $1::timestamptz`,
    [new Date(now - INTRADAY_DAYS * MS_PER_DAY).toISOString()],
  );
  const expired = expiredBatches(
    batches.map(({ at }) => at),
    now,
  );
  if (expired.length === 0) return 0;
  const instants = `{${expired.map((batch) => new Date(batch).toISOString()).join(',')}}`;
  for (const { name } of PUBLISHED_TABLES) {
    await transaction.query(
      `delete from public.${name} where source is not null and created_at = any($1::timestamptz[])`,
      [instants],
    );
  }
  return expired.length;
}
