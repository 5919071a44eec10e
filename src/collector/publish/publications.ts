import type { Transaction } from '#database/port.ts';
import { isSessionClose, marketDay, nextSession, publicationKind } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { toIso } from '../instants.ts';
import type { Problems } from '../problems.ts';
import { ORIGIN_COLUMNS } from './origins.ts';
import { PUBLISHED_TABLES, sameCell } from './row-sets.ts';

const rowsOf = (table: string, columns: readonly string[]) =>
  `'${table}', coalesce((select json_agg(each) from (
     select ${columns.join(', ')} from public.${table} where created_at = batch order by id) as each), '[]')`;
/** SQL for the rows of a row set in all its tables, without the columns that are equal in all of them. */
const CONTENT = `json_build_object(${[
  ...PUBLISHED_TABLES.map(({ name, columns }) => rowsOf(name, columns)),
  rowsOf(ORIGINS_TABLE, ORIGIN_COLUMNS),
].join(', ')})`;

/** Instants (epoch ms) from this one on have no ISO form with a four-digit year. No run publishes them. */
const LATEST = Date.UTC(9999, 0);

/** Records the closing row sets among `batches` (epoch ms) as this transaction sees them. Returns the records' ids. */
export async function recordPublications(
  transaction: Transaction,
  batches: Iterable<number>,
  { source, now, delay = 0 }: { source: MarketSource; now: number; delay?: number | undefined },
): Promise<number[]> {
  const published = [...new Set(batches)]
    .filter((batch) => batch < LATEST && isSessionClose(batch))
    .sort((a, b) => a - b)
    .map((batch) => {
      const session = marketDay(batch);
      return {
        batch: toIso(batch),
        session,
        kind: publicationKind(session, now),
        // A row set that is first published after its day of publication, such as by the first start, was not observed.
        origin: (delay === 0 ? session : nextSession(session)) === marketDay(now) ? 'live' : 'rebuilt',
      };
    });
  if (published.length === 0) return [];
  const added = await transaction.query<{ id: number }>(
    // A replacement keeps the origin of the row set that it replaces: 'live' if that was published on its day, else
    // 'rebuilt'.
    `insert into archive.publications
       (created_at_batch, session, kind, published_at, source, origin, formula_version, rows, sha256)
     select batch, session, kind, $2, $3::text,
       coalesce((select before.origin from archive.publications before
         where before.created_at_batch = batch and before.source = $3::text order by before.id desc limit 1), origin),
       $4, content, sha256(convert_to(content::text, 'UTF8'))
     from json_to_recordset($1::json) as published (batch timestamptz, session date, kind text, origin text)
     -- Without offset 0 the planner computes the content twice, for the two columns that need it.
     cross join lateral (select ${CONTENT} as content offset 0) as contents
     order by batch returning id`,
    [JSON.stringify(published), toIso(now), source, SIGNAL_FORMULA],
  );
  return added.map(({ id }) => id);
}

type Row = Readonly<Record<string, unknown>>;
type RowsByTable = Readonly<Record<string, readonly Row[]>>;

/** Reads how publications differ from those of the same source that they replace, and adds a note per table and session. */
export async function readCorrections(
  transaction: Transaction,
  publications: readonly number[],
  problems: Problems,
) {
  const pairs = await transaction.query<{ session: string; before: RowsByTable; after: RowsByTable }>(
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

export type Correction = Awaited<ReturnType<typeof readCorrections>>[number];

/** Pairs of rows that differ; null for a row that one set lacks. A table that had no row was completed, not corrected. */
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
