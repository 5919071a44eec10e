import type { Database } from '#database/port.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { Problems } from '../problems.ts';
import type { Report } from '../progress.ts';
import type { RunReport } from '../runs.ts';
import type { SourceReading } from '../sources/source.ts';
import { recordingCorrections } from './corrections.ts';
import { publishOrigins, rememberingOrigins } from './origins.ts';
import { removeFutureRows, removeOtherDemonstrations } from './removals.ts';
import type { RowSet } from './row-set.ts';
import { writeRowSets } from './write-rows.ts';

/** Row sets of one transaction; a run that goes on from the last one has fewer. */
const ROW_SETS_A_TRANSACTION = 250;

interface Publishing {
  source: MarketSource;
  /** When the run began, epoch ms. */
  now: number;
  /** The sessions whose rows are corrected, with a record; empty where all that differs is replaced. */
  recent: readonly string[];
  originsOf: SourceReading['originsOf'];
  problems: Problems;
  report: Report;
  signal: AbortSignal;
}

/** Publishes row sets, in ascending order; answers the rows written, and where the last one's inputs come from. */
export async function publish(
  database: Database,
  rowSets: readonly RowSet[],
  { source, now, recent, originsOf, problems, report, signal }: Publishing,
): Promise<Pick<RunReport, 'rowsWritten' | 'origins'>> {
  const total = rowSets.length;
  // A reading within a session may be stamped by the providers' clock.
  const latest = Math.max(now, rowSets.at(-1)?.createdAt ?? now);
  const standsBefore = recent[0] === undefined ? Number.NEGATIVE_INFINITY : sessionClose(recent[0]);
  const done: Pick<RunReport, 'rowsWritten' | 'origins'> = { rowsWritten: 0, origins: [] };
  for (let from = 0; from < total; from += ROW_SETS_A_TRANSACTION) {
    report({ stage: 'publishing', done: from, total });
    signal.throwIfAborted();
    const part = rowSets.slice(from, from + ROW_SETS_A_TRANSACTION);
    await database.transaction(async (transaction) => {
      await removeOtherDemonstrations(transaction, source);
      await removeFutureRows(transaction, latest, problems);
      const corrections = recent.length > 0 ? recordingCorrections(transaction, { now, problems }) : {};
      const written = await writeRowSets(transaction, part, { standsBefore, ...corrections });
      done.rowsWritten += written.rowsWritten;
      const remembered = originsOf && (await rememberingOrigins(transaction, originsOf));
      const batches = part
        .filter(({ createdAt }) => remembered !== undefined && createdAt >= standsBefore)
        .map(({ session, createdAt }) => ({ createdAt, origins: remembered?.(session) ?? [] }));
      await publishOrigins(transaction, batches, { source, changed: written.changed });
      done.origins = batches.at(-1)?.origins ?? [];
    });
  }
  report({ stage: 'publishing', done: total, total });
  return done;
}
