import type { Transaction } from '#database/port.ts';
import { isSessionClose, marketDay, nextSession, publicationKind } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { toIso } from '../instants.ts';
import { ORIGIN_COLUMNS } from './origins.ts';
import { PUBLISHED_TABLES } from './row-sets.ts';

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
