import type { Database, Transaction } from '#database/port.ts';
import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';
import { readMarket } from '#domain/market-readings.ts';
import { snapshotAt } from '#domain/snapshot.ts';
import { checkDatabaseClock, isPast } from './database-clock.ts';
import { DEADLINES, withDeadline } from './deadline.ts';
import { epochMs, isClosing, toIso } from './instants.ts';
import { LIVE_LIMITS } from './live/limits.ts';
import { createProblems, type Problems } from './problems.ts';
import type { Report } from './progress.ts';
import { publish } from './publish/publish.ts';
import { BATCH_TABLE, type RowSet, toRowSet } from './publish/tables.ts';
import { type MarketData, readAndStore } from './read-and-store.ts';
import { removeExpired } from './retention.ts';
import { type Job, type RunReport, recordRun } from './runs.ts';
import type { Source } from './sources/source.ts';

/** How far back the newest closing row set is looked for among the batches. */
const BATCHES_LOOKED_AT = 500;

export interface RunOptions {
  database: Database;
  source: Source;
  /** Epoch ms. */
  now: () => number;
  report?: Report | undefined;
  /** Ends the run: what it has not published by then stays as it is. */
  signal?: AbortSignal | undefined;
  /** The period of the schedule it is for (epoch ms), for its record; null when somebody asked for it. */
  period?: number | null | undefined;
  /** Looks, in every transaction that writes, whether this run may still; throws when another has taken over. */
  stillMine?(transaction: Transaction): Promise<void>;
}

/** Which of all sessions a run publishes; `recent` are those it corrects. */
type Choice = (sessions: readonly string[], recent: readonly string[]) => Promise<readonly string[]>;

/**
 * One run: reads the source, keeps its history and publishes the newest session, with the closed ones since
 * the newest published. Rows that stand already stay as they are; of the live market those of the last ten
 * sessions are corrected where they have to be. A run that fails leaves the rows of the last good one, is
 * recorded as failed, and throws what it failed of.
 */
export function collect(options: RunOptions): Promise<RunReport> {
  return run('collect', options, async (sessions, recent) => {
    const newest = await newestClosedPublished(options.database, options.now());
    return sessions.filter(
      (session, at) =>
        at === sessions.length - 1 || recent.includes(session) || (newest !== null && session > newest),
    );
  });
}

/**
 * Publishes every session that has bars; what stands already is left alone, so that it can be taken up again.
 * Of the live market older rows stand as well, but for those that only gain values.
 */
export function backfill(options: RunOptions): Promise<RunReport> {
  return run('backfill', options, async (sessions) => sessions);
}

async function run(job: Job, options: RunOptions, choose: Choice): Promise<RunReport> {
  const { source, now, report = () => undefined, period = null, stillMine } = options;
  const problems = createProblems();
  const isLive = source.word === 'live';
  const record = {
    ...{ job, source: source.word, now, problems, period },
    calls: () => source.calls?.() ?? [],
  };
  const database = stillMine === undefined ? options.database : watched(options.database, stillMine);
  return recordRun(options.database, record, () =>
    withDeadline(isLive ? DEADLINES[job] : null, options.signal, async (signal) => {
      const at = now();
      await checkDatabaseClock(database, at);
      const known = await readAndStore(database, source, { now: at, job, problems, report, signal });
      const recent = isLive ? closedSessions(known).slice(-LIVE_LIMITS.correctedSessions) : [];
      const sessions = await choose(known.history.bars.sessions, recent);
      const rowSets = describeSessions(known, sessions, source, { problems, report });
      const published = await publish(database, rowSets, {
        ...{ source: source.word, now: at, recent, problems, report, signal },
        originsOf: known.originsOf,
      });
      await database.transaction((transaction) => removeExpired(transaction, at, source.word));
      await database.vacuum?.();
      return { firstSession: sessions[0] ?? null, lastSession: sessions.at(-1) ?? null, ...published };
    }),
  );
}

/** The database, with a look in every transaction that writes. */
function watched(database: Database, look: (transaction: Transaction) => Promise<void>): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (transaction) => {
        if (options?.readOnly !== true) await look(transaction);
        return work(transaction);
      }, options),
  };
}

function closedSessions({ history: { bars }, observedAt }: MarketData): readonly string[] {
  return observedAt === null ? bars.sessions : bars.sessions.slice(0, -1);
}

function describeSessions(
  { history, members, observedAt }: MarketData,
  sessions: readonly string[],
  source: Source,
  { problems, report }: { problems: Problems; report: Report },
): RowSet[] {
  report({ stage: 'computing', done: 0, total: sessions.length });
  const readings = readMarket(history, {
    lastSessionOpen: observedAt !== null,
    sectors: members.map(({ sector }) => sector),
  });
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

/** The newest session whose closing row set is published, rows of the future left out; null when none is. */
async function newestClosedPublished(database: Database, now: number): Promise<string | null> {
  const batches = await database.transaction(
    (transaction) =>
      transaction.query<{ at: number }>(
        `select ${epochMs('created_at')} as at from public.${BATCH_TABLE}
         where source is not null and ${isPast('$1')} order by created_at desc limit ${BATCHES_LOOKED_AT}`,
        [toIso(now)],
      ),
    { readOnly: true },
  );
  const closing = batches.find(({ at }) => isClosing(at));
  return closing === undefined ? null : marketDay(closing.at);
}
