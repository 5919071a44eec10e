import type { Transaction } from '#database/port.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import type { MarketTableName } from '#schema/tables.ts';
import type { Problems } from '../problems.ts';
import { isClosing, toInstants, toIso } from './instants.ts';
import { isNoise } from './same-value.ts';
import { PUBLISHED_TABLES } from './tables.ts';
import type { WritingRules } from './write-rows.ts';

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * Leaves a record of every closing row of the live market that is replaced: as it stood and as it stands, at
 * the instant of the run (epoch ms). Rows of an open session come and go without.
 */
export function recordingCorrections(
  transaction: Transaction,
  { now, problems }: { now: number; problems: Problems },
): Pick<WritingRules, 'onReplace' | 'onReplaced'> {
  let before = new Map<number, StoredRow[]>();
  return {
    async onReplace(table, instants) {
      before = await readRows(transaction, table, instants.filter(isClosing));
    },
    async onReplaced(table, instants) {
      const after = await readRows(transaction, table, instants.filter(isClosing));
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
    },
  };
}

/** The live market's rows of these instants. */
async function readRows(
  transaction: Transaction,
  table: MarketTableName,
  instants: readonly number[],
): Promise<Map<number, StoredRow[]>> {
  const rows = await transaction.query<{ at: number; row: StoredRow }>(
    `select (extract(epoch from created_at) * 1000)::double precision as at, to_jsonb(stored) - 'id' as row
     from public.${table} stored where source = 'live' and created_at = any($1::timestamptz[]) order by id`,
    [toInstants(instants)],
  );
  const byInstant = new Map<number, StoredRow[]>();
  for (const { at, row } of rows) byInstant.set(at, [...(byInstant.get(at) ?? []), row]);
  return byInstant;
}

/** The rows that are not the same on both sides; null where one side has none. */
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
