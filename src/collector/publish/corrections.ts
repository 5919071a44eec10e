import type { Transaction } from '#database/port.ts';
import type { Problems } from '../problems.ts';
import { PUBLISHED_TABLES, sameCell } from './row-sets.ts';

type Row = Readonly<Record<string, unknown>>;
type RowSet = Readonly<Record<string, readonly Row[]>>;

/** A row of a closing row set that was replaced; null if only one of the two sets has it. */
export interface Correction {
  readonly table: string;
  readonly session: string;
  readonly before: Row | null;
  readonly after: Row | null;
}

/** Reads how publications differ from those of the same source that they replace, and adds a note per table and session. */
export async function readCorrections(
  transaction: Transaction,
  publications: readonly number[],
  problems: Problems,
): Promise<Correction[]> {
  const pairs = await transaction.query<{ session: string; before: RowSet; after: RowSet }>(
    `select after.session, before.rows as before, after.rows as after
     from archive.publications after cross join lateral (
       select source, rows from archive.publications
       where created_at_batch = after.created_at_batch and id < after.id order by id desc limit 1
     ) as before
     where after.id = any($1::bigint[]) and before.source = after.source order by after.id`,
    [publications],
  );
  const corrections = pairs.flatMap(({ session, before, after }) =>
    PUBLISHED_TABLES.flatMap(({ name: table, key }) =>
      differences(before[table] ?? [], after[table] ?? [], key).map((pair) => ({ table, session, ...pair })),
    ),
  );
  for (const name of new Set(corrections.map(({ table, session }) => `${table} of ${session}`)))
    problems.note('correction', `${name} was corrected`);
  return corrections;
}

/** Pairs of rows that differ. A table that had no row was completed, not corrected. */
function differences(before: readonly Row[], after: readonly Row[], key: string | undefined) {
  if (before.length === 0) return [];
  const byKey = (rows: readonly Row[]) =>
    new Map(rows.map((row) => [key === undefined ? '' : String(row[key]), row]));
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const pair = { before: was.get(name) ?? null, after: is.get(name) ?? null };
    const columns = Object.keys(pair.before ?? pair.after ?? {});
    return columns.every((column) => sameCell(pair.before?.[column], pair.after?.[column])) ? [] : [pair];
  });
}
