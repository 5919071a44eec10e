import { epochMs, type Transaction } from '#database/port.ts';
import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import { OUTLOOK_SERIES } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { toInstants, toIso } from '../instants.ts';
import { firstStored, LIVE_LIMITS } from '../live/plan.ts';
import { BATCH_TABLE, PUBLISHED_TABLES } from '../publish/row-sets.ts';

/** Row sets of open sessions stay for this time; then one per session stays (specification, reading 3). */
const INTRADAY_DAYS = 30;
/** Tables of records, which stay for RECORD_DAYS, and the column with their time. */
const RECORDS = [
  ['collector.runs', 'started_at'],
  [`public.${ORIGINS_TABLE}`, 'created_at'],
] as const;
const RECORD_DAYS = 400;
const MS_PER_DAY = 86_400_000;

/** The batches to remove (epoch ms): all but the closing or latest one of each session of more than 30 days ago. */
export function expiredBatches(batches: readonly number[], now: number): number[] {
  const old = batches.filter((batch) => batch < now - INTRADAY_DAYS * MS_PER_DAY);
  const remaining = new Map<string, number>();
  for (const batch of old.toSorted((a, b) => a - b)) {
    const session = marketDay(batch);
    if (remaining.get(session) !== sessionClose(session)) remaining.set(session, batch);
  }
  const stays = new Set(remaining.values());
  return old.filter((batch) => !stays.has(batch));
}

/** Removes expired row sets and records, and stored sessions that no live run reads any more. */
export async function removeExpired(
  transaction: Transaction,
  now: number,
  source: MarketSource,
): Promise<void> {
  await removeBatches(transaction, now);
  const oldest = toIso(now - RECORD_DAYS * MS_PER_DAY);
  for (const [table, instant] of RECORDS) {
    await transaction.query(`delete from ${table} where ${instant} < $1`, [oldest]);
  }
  if (source === 'live') await removeStored(transaction, now);
}

async function removeBatches(transaction: Transaction, now: number): Promise<void> {
  const batches = await transaction.query<{ at: number }>(
    `select distinct ${epochMs('created_at')} as at
     from public.${BATCH_TABLE} where source is not null and created_at < $1::timestamptz`,
    [toIso(now - INTRADAY_DAYS * MS_PER_DAY)],
  );
  const expired = expiredBatches(
    batches.map(({ at }) => at),
    now,
  );
  if (expired.length === 0) return;
  for (const name of [...PUBLISHED_TABLES.map((table) => table.name), ORIGINS_TABLE]) {
    await transaction.query(
      `delete from public.${name} where source is not null and created_at = any($1::timestamptz[])`,
      [toInstants(expired)],
    );
  }
}

async function removeStored(transaction: Transaction, now: number): Promise<void> {
  await transaction.query('delete from collector.bars where session < $1', [
    firstStored(now, LIVE_LIMITS.barSessions),
  ]);
  await transaction.query('delete from collector.series where session < $1 and not name = any($2::text[])', [
    ...[firstStored(now, LIVE_LIMITS.seriesSessions), OUTLOOK_SERIES],
  ]);
  await transaction.query(
    'delete from collector.symbols where not exists (select from collector.bars where symbol_id = id)',
  );
}
