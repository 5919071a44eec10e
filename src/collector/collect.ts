import type { Database } from '#database/port.ts';
import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import { readMarket } from '#domain/market-readings.ts';
import { snapshotAt } from '#domain/snapshot.ts';
import { createProblems, type Problems } from './problems.ts';
import type { Report } from './progress.ts';
import { publishRowSets, removeOtherDemonstrations } from './publish/publish.ts';
import { type RowSet, toRowSet } from './publish/row-set.ts';
import { BATCH_TABLE } from './publish/tables.ts';
import { type Known, readAndKeep } from './read-and-keep.ts';
import { removeExpired } from './retention.ts';
import { type Job, type RunReport, recordRun } from './runs.ts';
import type { Source } from './sources/source.ts';

/** Row sets of one transaction of a backfill. */
const ROW_SETS_A_TRANSACTION = 250;
/** How far back the newest closing row set is looked for among the batches. */
const BATCHES_LOOKED_AT = 500;

export interface RunOptions {
  database: Database;
  source: Source;
  /** Epoch ms. */
  now: () => number;
  report?: Report | undefined;
  /** Ends the run before it publishes. */
  signal?: AbortSignal | undefined;
}

/**
 * One run: reads the source, keeps its history and publishes the newest session, with the closed ones since
 * the newest published. Rows that stand already stay as they are. A run that fails leaves the rows of the
 * last good one, is recorded as failed, and throws what it failed of.
 */
export function collect(options: RunOptions): Promise<RunReport> {
  return run('collect', options, async (sessions, { database }) => {
    const newest = await newestClosedPublished(database);
    return sessions.filter(
      (session, at) => at === sessions.length - 1 || (newest !== null && session > newest),
    );
  });
}

/** Publishes every session that has bars; what stands already is left alone, so that it can be taken up again. */
export function backfill(options: RunOptions): Promise<RunReport> {
  return run('backfill', options, async (sessions) => sessions);
}

async function run(
  job: Job,
  options: RunOptions,
  choose: (sessions: readonly string[], options: RunOptions) => Promise<readonly string[]>,
): Promise<RunReport> {
  const { database, source, now, report = () => undefined, signal = new AbortController().signal } = options;
  const problems = createProblems();
  return recordRun(database, { job, source: source.word, now, problems }, async () => {
    const at = now();
    const known = await readAndKeep(database, source, { now: at, job, problems, report, signal });
    const sessions = await choose(known.history.bars.sessions, options);
    const rowSets = describeSessions(known, sessions, source, { problems, report });
    let rowsWritten = 0;
    for (let from = 0; from < rowSets.length; from += ROW_SETS_A_TRANSACTION) {
      report({ stage: 'publishing', done: from, total: rowSets.length });
      const part = rowSets.slice(from, from + ROW_SETS_A_TRANSACTION);
      rowsWritten += await database.transaction(async (transaction) => {
        await removeOtherDemonstrations(transaction, source.word);
        return publishRowSets(transaction, part);
      });
    }
    report({ stage: 'publishing', done: rowSets.length, total: rowSets.length });
    await database.transaction((transaction) => removeExpired(transaction, at));
    return { firstSession: sessions[0] ?? null, lastSession: sessions.at(-1) ?? null, rowsWritten };
  });
}

function describeSessions(
  { history, observedAt }: Known,
  sessions: readonly string[],
  source: Source,
  { problems, report }: { problems: Problems; report: Report },
): RowSet[] {
  report({ stage: 'computing', done: 0, total: sessions.length });
  const readings = readMarket(history, { lastSessionOpen: observedAt !== null });
  const first = sessions[0] ?? '';
  for (const { symbol, session, move } of readings.flaggedMoves) {
    if (session < first) continue;
    const percent = (100 * move).toFixed(0);
    problems.note(
      'one-day move',
      `${symbol} moved ${percent} % on ${session} and is left out of that session`,
    );
  }
  const open = observedAt === null ? null : history.sessions.at(-1);
  const rowSets = sessions.flatMap((session) => {
    const snapshot = snapshotAt(readings, session);
    const createdAt = session === open && observedAt !== null ? observedAt : sessionClose(session);
    return snapshot === null ? [] : [toRowSet(snapshot, source.word, createdAt)];
  });
  report({ stage: 'computing', done: sessions.length, total: sessions.length });
  return rowSets;
}

/** The newest session whose closing row set is published; null when none is. */
async function newestClosedPublished(database: Database): Promise<string | null> {
  const batches = await database.transaction(
    (transaction) =>
      transaction.query<{ at: number }>(
        `select (extract(epoch from created_at) * 1000)::double precision as at from public.${BATCH_TABLE}
         where source is not null order by created_at desc limit ${BATCHES_LOOKED_AT}`,
      ),
    { readOnly: true },
  );
  const closing = batches.find(({ at }) => isClosing(at));
  return closing === undefined ? null : marketDay(closing.at);
}

function isClosing(instant: number): boolean {
  return instant === sessionClose(marketDay(instant));
}
