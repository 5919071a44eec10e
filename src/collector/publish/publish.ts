import { type Database, epochMs, type Parameter, type Transaction } from '#database/port.ts';
import { isSessionClose, sessionClose } from '#domain/calendar/sessions.ts';
import { DEMONSTRATIONS, type MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE, STOCKS_TABLE } from '#schema/tables.ts';
import type { InputOrigin, Report } from '../history/source.ts';
import { isPast, toInstants, toIso } from '../instants.ts';
import type { Problems } from '../problems.ts';
import type { ProviderCalls } from '../providers/provider.ts';
import { publishOrigins } from './origins.ts';
import { type Correction, readCorrections, recordPublications } from './publications.ts';
import { writeQualityEvents } from './quality-events.ts';
import {
  BATCH_TABLE,
  type Cell,
  onlyAdds,
  PUBLISHED_TABLES,
  type RowSet,
  STOCKS,
  sameRows,
} from './row-sets.ts';

const ROW_SETS_A_TRANSACTION = 250;

/**
 * Called at the end of each transaction that publishes, with the added, replaced or removed batches (epoch ms), and of the
 * one that records a failed run, without batches.
 */
export type BeforeCommit = (transaction: Transaction, batches: ReadonlySet<number>) => Promise<void>;

interface PublishOptions {
  source: MarketSource;
  /** Start of the run (epoch ms). */
  now: number;
  /** The current time (epoch ms). */
  clock: () => number;
  /** Number of sessions after which a session is published; 0 by default. */
  delay?: number;
  /** The first session whose published rows may be corrected; earlier ones are only completed. Null for all. */
  correctsFrom: string | null;
  problems: Problems;
  calls: () => readonly ProviderCalls[];
  beforeCommit?: BeforeCommit | undefined;
  /** Removes rows later than `now` and the database's clock, and records the newest close in the ledger again. */
  removesFuture?: boolean;
  report: Report;
  signal: AbortSignal;
}

/** Publishes row sets, in ascending order. Equal rows stay, so publishing twice changes nothing. */
export async function publish(database: Database, rowSets: readonly RowSet[], options: PublishOptions) {
  const { source, now, clock, delay, correctsFrom, problems, calls, beforeCommit, report, signal } = options;
  const { removesFuture = false } = options;
  const recorded = removesFuture ? rowSets.findLast(({ createdAt }) => isSessionClose(createdAt)) : undefined;
  const total = rowSets.length;
  /** The number of rows written, and the origins of the last row set. */
  const done = { rowsWritten: 0, origins: [] as readonly InputOrigin[] };
  const corrections: Correction[] = [];
  for (let from = 0; from < total; from += ROW_SETS_A_TRANSACTION) {
    report({ stage: 'publishing', done: from, total });
    signal.throwIfAborted();
    const part = rowSets.slice(from, from + ROW_SETS_A_TRANSACTION);
    await database.transaction(async (transaction) => {
      // The rows of a demonstration go once another source publishes.
      const others = DEMONSTRATIONS.filter((name) => name !== source);
      const removed = (await removeRows(transaction, ALL_TABLES, 'source = any($1::text[])', others)).batches;
      if (removesFuture) removed.push(...(await removeFuture(transaction, now, problems)));
      const changed = new Set<number>();
      for (const table of PUBLISHED_TABLES) {
        done.rowsWritten += await writeTable(transaction, table, part, options, changed);
      }
      const batches = part.flatMap(({ createdAt, origins }) => (origins ? [{ createdAt, origins }] : []));
      const withNewOrigins = await publishOrigins(transaction, batches, { source, changed });
      const written = new Set([...removed, ...changed, ...withNewOrigins]);
      if (recorded !== undefined && part.includes(recorded)) written.add(recorded.createdAt);
      const publications = await recordPublications(transaction, written, { source, now: clock(), delay });
      if (correctsFrom !== null)
        corrections.push(...(await readCorrections(transaction, publications, problems)));
      done.origins = batches.at(-1)?.origins ?? [];
      if (from + ROW_SETS_A_TRANSACTION >= total) {
        done.rowsWritten += await writeStocks(transaction, part.slice(-1), options);
        const refusals = problems.refusals();
        await writeQualityEvents(transaction, { now, delay, batches, corrections, refusals, calls: calls() });
      }
      await beforeCommit?.(transaction, written);
    });
  }
  report({ stage: 'publishing', done: total, total });
  return done;
}

/** Writes the stocks of the newest row set, unless newer ones are published. Returns the number of rows written. */
async function writeStocks(
  transaction: Transaction,
  newest: readonly RowSet[],
  options: PublishOptions,
): Promise<number> {
  const at = toIso(newest[0]?.createdAt ?? 0);
  const newer = await transaction.query(
    `select from public.${STOCKS_TABLE} where source is not null and created_at > $1 limit 1`,
    [at],
  );
  if (newer.length > 0) return 0;
  const written = await writeTable(transaction, STOCKS, newest, options, new Set());
  await transaction.query(`delete from public.${STOCKS_TABLE} where source is not null and created_at < $1`, [
    at,
  ]);
  return written;
}

/** Writes the rows of a table. Adds the changed batches (epoch ms) to `changed`. Returns the number of rows written. */
async function writeTable(
  transaction: Transaction,
  { name, columns }: { name: string; columns: readonly string[] },
  rowSets: readonly RowSet[],
  { correctsFrom }: PublishOptions,
  changed: Set<number>,
): Promise<number> {
  const list = [...columns, 'source'].join(', ');
  const storedRows = await transaction.query<{ at: number; cells: Cell[] }>(
    `select ${epochMs('created_at')} as at, json_build_array(${list}) as cells from public.${name}
     where created_at between $1 and $2 order by id`,
    [toIso(rowSets[0]?.createdAt ?? 0), toIso(rowSets.at(-1)?.createdAt ?? 0)],
  );
  const storedAt = new Map<number, Cell[][]>();
  for (const { at, cells } of storedRows) storedAt.set(at, [...(storedAt.get(at) ?? []), cells]);
  const replacesFrom = correctsFrom === null ? Number.NEGATIVE_INFINITY : sessionClose(correctsFrom);
  const replaced: number[] = [];
  const lines: string[] = [];
  for (const { createdAt, rows } of rowSets) {
    const wanted = rows.get(name) ?? [];
    const stored = storedAt.get(createdAt) ?? [];
    if (sameRows(wanted, stored)) continue;
    if (stored.length > 0) {
      if (createdAt < replacesFrom && !onlyAdds(wanted, stored)) continue;
      replaced.push(createdAt);
    }
    changed.add(createdAt);
    for (const row of wanted) lines.push(`${row.map(asCopyText).join('\t')}\t${toIso(createdAt)}\n`);
  }
  if (replaced.length > 0) {
    await transaction.query(`delete from public.${name} where created_at = any($1::timestamptz[])`, [
      toInstants(replaced),
    ]);
  }
  const copy = `copy public.${name} (${list}, created_at) from stdin`;
  if (lines.length > 0) await transaction.copyIn(copy, Buffer.from(lines.join('')));
  return lines.length;
}

const ALL_TABLES = [...PUBLISHED_TABLES.map(({ name }) => name), STOCKS_TABLE];

/** Removes the rows of these tables that match. Returns their number, and the removed batches (epoch ms). */
async function removeRows(
  transaction: Transaction,
  tables: readonly string[],
  condition: string,
  parameter: Parameter,
): Promise<{ count: number; batches: number[] }> {
  let count = 0;
  const batches: number[] = [];
  for (const table of tables) {
    const rows = await transaction.query<{ at: number }>(
      `delete from public.${table} where ${condition} returning ${epochMs('created_at')} as at`,
      [parameter],
    );
    count += rows.length;
    if (table === BATCH_TABLE) batches.push(...rows.map(({ at }) => at));
  }
  return { count, batches };
}

/** Removes rows later than both clocks. A clock that is behind would remove valid rows: only on request. */
async function removeFuture(transaction: Transaction, now: number, problems: Problems): Promise<number[]> {
  const condition = `source is not null and not ${isPast('$1')}`;
  const tables = [...ALL_TABLES, ORIGINS_TABLE];
  const { count, batches } = await removeRows(transaction, tables, condition, toIso(now));
  if (count > 0)
    problems.note(
      'clock',
      `${count} rows dated in the future were removed. Check the clocks of all machines that collect.`,
    );
  return batches;
}

/** A cell in the text format of `copy`. */
function asCopyText(cell: Cell): string {
  return cell === null ? '\\N' : String(cell).replaceAll('\\', '\\\\');
}
