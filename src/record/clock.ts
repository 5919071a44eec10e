import { type Database, READ_ONLY, type Transaction } from '#database/port.ts';
import { PUBLISHED_TABLE_NAMES } from '#schema/tables.ts';

/** The newest rows that the collector has published. They are never later than the clock that dated them. */
const PUBLISHED = PUBLISHED_TABLE_NAMES.map(
  (name) =>
    `select max(created_at) as at, $1::timestamptz as clock from public.${name} where source is not null`,
);
/** The newest entry of the ledger, which the clock of the database has dated. */
const ENTERED = `(select created_at, greatest($1::timestamptz, now()) from archive.ledger_entries order by index desc limit 1)`;

/**
 * Returns an error message if rows or ledger entries are dated more than an hour after `now` (epoch ms), and entries also
 * after the database's clock. Only the operator can tell if the clock is behind now or was ahead then.
 */
export async function readClockFault(transaction: Transaction, now: number): Promise<string | null> {
  const [row] = await transaction.query<{ at: string; clock: string }>(
    `select at, clock from (${[...PUBLISHED, ENTERED].join(' union all ')}) as newest
     where at > clock + interval '1 hour' order by at desc limit 1`,
    [new Date(now).toISOString()],
  );
  if (row === undefined) return null;
  return `The newest rows are dated ${row.at}, later than the clock (${row.clock}). If the clock is behind, correct it. If it is right, run "collect --remove-future". Until then no run, decision or grade is made.`;
}

/** Throws an error if `readClockFault` returns one for `now` (epoch ms). */
export async function checkClockNotBehind(database: Database, now: number): Promise<void> {
  const fault = await database.transaction((transaction) => readClockFault(transaction, now), READ_ONLY);
  if (fault !== null) throw new Error(fault);
}
