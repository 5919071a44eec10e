import type { Transaction } from '#database/port.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import type { MarketTableName } from '#schema/tables.ts';
import { epochMs, isClosing, toInstants, toIso } from '../instants.ts';
import type { Problems } from '../problems.ts';
import { isNoise, PUBLISHED_TABLES } from './row-sets.ts';

type StoredRow = Readonly<Record<string, unknown>>;

/** Rows by instant (epoch ms). */
export type ClosingRows = ReadonlyMap<number, readonly StoredRow[]>;

/** The rows of the live market at those `instants` that are closing bells. */
export async function readClosingRows(
  transaction: Transaction,
  table: MarketTableName,
  instants: Iterable<number>,
): Promise<ClosingRows> {
  const closing = [...instants].filter(isClosing);
  const byInstant = new Map<number, StoredRow[]>();
  if (closing.length === 0) return byInstant;
  const rows = await transaction.query<{ at: number; row: StoredRow }>(
    `select ${epochMs('created_at')} as at, to_jsonb(stored) - 'id' as row
     from public.${table} stored where source = 'live' and created_at = any($1::timestamptz[]) order by id`,
    [toInstants(closing)],
  );
  for (const { at, row } of rows) byInstant.set(at, [...(byInstant.get(at) ?? []), row]);
  return byInstant;
}

/** Records how the closing rows differ from `before`, with a note per session. Open sessions have no corrections. */
export async function recordCorrections(
  transaction: Transaction,
  table: MarketTableName,
  before: ClosingRows,
  { now, problems }: { now: number; problems: Problems },
): Promise<void> {
  const after = await readClosingRows(transaction, table, before.keys());
  const corrections = [...before].flatMap(([instant, rows]) =>
    differences(table, rows, after.get(instant) ?? []).map((difference) => ({
      table,
      session: marketDay(instant),
      ...difference,
    })),
  );
  if (corrections.length === 0) return;
  for (const session of new Set(corrections.map((correction) => correction.session))) {
    problems.note('correction', `${table} of ${session} was corrected`);
  }
  await transaction.query(
    `insert into collector.corrections (table_name, session, before, after, corrected_at)
     select "table", session, coalesce(before, 'null'), coalesce(after, 'null'), $2
     from json_to_recordset($1::json) as correction ("table" text, session date, before jsonb, after jsonb)`,
    [JSON.stringify(corrections), toIso(now)],
  );
}

/** Pairs of rows that differ; null for a row that only one side has. */
function differences(table: MarketTableName, before: readonly StoredRow[], after: readonly StoredRow[]) {
  const key = PUBLISHED_TABLES.find(({ name }) => name === table)?.key;
  const byKey = (rows: readonly StoredRow[]) =>
    new Map(rows.map((row) => [key === undefined ? '' : String(row[key]), row]));
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const pair = { before: was.get(name) ?? null, after: is.get(name) ?? null };
    return pair.before !== null && pair.after !== null && sameRow(pair.before, pair.after) ? [] : [pair];
  });
}

function sameRow(a: StoredRow, b: StoredRow): boolean {
  return Object.entries(a).every(([column, value]) => {
    const other = b[column];
    return typeof value === 'number' && typeof other === 'number' ? isNoise(value, other) : value === other;
  });
}
