import type { Database, Transaction } from '#database/port.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { DEMONSTRATIONS, type MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { isPast } from '../database-clock.ts';
import { toArray, toIso } from '../instants.ts';
import type { Problems } from '../problems.ts';
import type { Report } from '../progress.ts';
import type { RunReport } from '../runs.ts';
import type { SourceReading } from '../sources/source.ts';
import { publishOrigins, withRecordedOrigins } from './origins.ts';
import { PUBLISHED_TABLES, type RowSet } from './tables.ts';
import { writeRowSets } from './write-rows.ts';

const ROW_SETS_A_TRANSACTION = 250;

interface Publishing {
  source: MarketSource;
  /** Start of the run (epoch ms). */
  now: number;
  /** The sessions whose rows are corrected, with a record. If empty, all rows that differ are replaced. */
  recent: readonly string[];
  originsOf: SourceReading['originsOf'];
  problems: Problems;
  report: Report;
  signal: AbortSignal;
}

/** Publishes row sets, in ascending order. Returns the number of rows written, and the origins of the last row set. */
export async function publish(
  database: Database,
  rowSets: readonly RowSet[],
  { source, now, recent, originsOf, problems, report, signal }: Publishing,
): Promise<Pick<RunReport, 'rowsWritten' | 'origins'>> {
  const total = rowSets.length;
  const replacesFrom = recent[0] === undefined ? Number.NEGATIVE_INFINITY : sessionClose(recent[0]);
  const corrections = recent.length > 0 ? { now, problems } : undefined;
  const done: Pick<RunReport, 'rowsWritten' | 'origins'> = { rowsWritten: 0, origins: [] };
  for (let from = 0; from < total; from += ROW_SETS_A_TRANSACTION) {
    report({ stage: 'publishing', done: from, total });
    signal.throwIfAborted();
    const part = rowSets.slice(from, from + ROW_SETS_A_TRANSACTION);
    await database.transaction(async (transaction) => {
      await removeOtherDemonstrations(transaction, source);
      await removeFutureRows(transaction, now, problems);
      const { rowsWritten, changed } = await writeRowSets(transaction, part, { replacesFrom, corrections });
      done.rowsWritten += rowsWritten;
      const recordedOrigins = originsOf && (await withRecordedOrigins(transaction, originsOf));
      const batches = part
        .filter(({ createdAt }) => recordedOrigins !== undefined && createdAt >= replacesFrom)
        .map(({ session, createdAt }) => ({ createdAt, origins: recordedOrigins?.(session) ?? [] }));
      await publishOrigins(transaction, batches, { source, changed });
      done.origins = batches.at(-1)?.origins ?? [];
    });
  }
  report({ stage: 'publishing', done: total, total });
  return done;
}

/**
 * Removes rows that a wrong clock dated later than both `now` (epoch ms) and the database's clock: each would be the
 * newest from its date on. A clock that is behind removes nothing.
 */
async function removeFutureRows(transaction: Transaction, now: number, problems: Problems): Promise<void> {
  let removed = 0;
  for (const name of [...PUBLISHED_TABLES.map((table) => table.name), ORIGINS_TABLE]) {
    const rows = await transaction.query(
      `delete from public.${name} where source is not null and not ${isPast('$1')} returning id`,
      [toIso(now)],
    );
    removed += rows.length;
  }
  if (removed > 0) {
    problems.note('clock', `${removed} rows dated in the future were removed; a clock was wrong.`);
  }
}

/** Removes the rows of demonstrations once another source publishes. */
async function removeOtherDemonstrations(transaction: Transaction, source: MarketSource): Promise<void> {
  const others = toArray(DEMONSTRATIONS.filter((name) => name !== source));
  for (const { name } of PUBLISHED_TABLES)
    await transaction.query(`delete from public.${name} where source = any($1::text[])`, [others]);
}
