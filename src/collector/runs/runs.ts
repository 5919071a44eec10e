import { isTransient } from '#database/failures.ts';
import { type Database, epochMs, readOnce, type Transaction } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { InputOrigin } from '../history/source.ts';
import { toIso } from '../instants.ts';
import { newestPeriod } from '../periods.ts';
import { type ProblemSummary, type Problems, printable, printableJson } from '../problems.ts';
import type { ProviderCalls } from '../providers/provider.ts';
import type { BeforeCommit } from '../publish/publish.ts';
import { writeFailureEvents } from '../publish/quality-events.ts';

export type Job = 'collect' | 'backfill';

export interface RunReport {
  job: Job;
  source: MarketSource;
  firstSession: string | null;
  lastSession: string | null;
  rowsWritten: number;
  rowsRefused: number;
  /** Rejected rows by kind, with the first messages of each. */
  refusals: readonly ProblemSummary[];
  /** Problems for which no row was rejected. */
  notes: readonly ProblemSummary[];
  /** Counters of the requests to each provider; empty for a source without providers. */
  providers: readonly ProviderCalls[];
  /** The origins of the inputs of the last session; empty for a source without providers. */
  origins: readonly InputOrigin[];
}

/** A run as recorded, with instants as ISO text. */
export interface RecordedRun
  extends Readonly<Pick<RunReport, 'job' | 'source' | 'rowsWritten' | 'rowsRefused' | 'providers'>> {
  /** The scheduled period; null for a run on request. */
  readonly period: string | null;
  /** A stopped run counts as failed. */
  readonly status: 'running' | 'succeeded' | 'failed';
  readonly startedAt: string;
  /** Duration in seconds; null while the run has not ended. */
  readonly seconds: number | null;
  /** The reason of a failure; null if the run did not fail. */
  readonly error: string | null;
  readonly problems: readonly ProblemSummary[];
}

export function newestRuns(transaction: Transaction, count: number): Promise<RecordedRun[]> {
  return transaction.query<RecordedRun>(
    `select job, source, case when is_scheduled then period end as period,
       case status when 'stopped' then 'failed' else status end as status, started_at as "startedAt",
       extract(epoch from finished_at - started_at)::double precision as seconds, rows_written as "rowsWritten",
       rows_refused as "rowsRefused", error, problems, providers
     from collector.runs order by id desc limit $1`,
    [count],
  );
}

/** State of the schedule. All times are epoch ms. */
interface ScheduleState {
  /** The newest period that is done; null if no period is done. */
  readonly done: number | null;
  /** Unsuccessful scheduled runs of the period, and the start of the last one; 0 and null without any. */
  readonly attempts: number;
  readonly triedAt: number | null;
  /** Time at which the last one of them failed; null if it did not fail, but stopped. */
  readonly failedAt: number | null;
}

/** Reads the state of a period (epoch ms). A process with a wrong clock may have recorded later periods. */
export async function readScheduleState(database: Database, period: number): Promise<ScheduleState> {
  const [state] = await readOnce<ScheduleState>(
    database,
    `select count(*) as attempts, ${epochMs('max(started_at)')} as "triedAt",
       (array_agg(case status when 'failed' then ${epochMs('finished_at')} end order by id desc))[1] as "failedAt",
       (select ${epochMs('max(period)')} from collector.runs where period <= $1 and status = 'succeeded') as done
     from collector.runs where period = $1 and is_scheduled and status <> 'succeeded'`,
    [toIso(period)],
  );
  return state ?? { done: null, attempts: 0, triedAt: null, failedAt: null };
}

/** The part of a run's record that is known before its end. */
interface RunDescription {
  job: Job;
  source: MarketSource;
  now: () => number;
  problems: Problems;
  /** False for a run on request. */
  isScheduled: boolean;
  /** Aborts when the run must end. */
  signal: AbortSignal | undefined;
  calls: () => readonly ProviderCalls[];
  beforeCommit?: BeforeCommit | undefined;
  /** Belongs to the run: if it throws, the run has failed. */
  afterPublish(): Promise<void>;
}

type Published = Pick<RunReport, 'firstSession' | 'lastSession' | 'rowsWritten' | 'origins'>;

/**
 * Runs `work`, then `afterPublish`, and records the result. If only `afterPublish` fails, the record has the rows and the
 * error. An older record with status running belongs to a killed run.
 */
export async function recordRun(
  database: Database,
  { job, source, now, problems, isScheduled, signal, calls, beforeCommit, afterPublish }: RunDescription,
  work: () => Promise<Published>,
): Promise<RunReport> {
  const startedAt = now();
  const started = toIso(startedAt);
  const id = await database.transaction(async (transaction) => {
    await transaction.query(
      `update collector.runs set status = 'stopped', finished_at = $1, error = 'The run ended before it was done.'
       where status = 'running'`,
      [started],
    );
    const [row] = await transaction.query<{ id: number }>(
      `insert into collector.runs (job, source, started_at, status, period, is_scheduled)
       values ($1, $2, $3, 'running', $4, $5) returning id`,
      [job, source, started, toIso(newestPeriod(startedAt)), isScheduled],
    );
    return row?.id ?? 0;
  });
  let published: Published | null = null;
  const finish = (
    status: 'succeeded' | 'stopped' | 'failed',
    error: string | null,
    also?: (transaction: Transaction) => Promise<void>,
  ) =>
    database.transaction(async (transaction) => {
      await transaction.query(
        `update collector.runs set finished_at = $2, rows_refused = $3, problems = $4, providers = $5, status = $6,
           error = $7, first_session = $8, last_session = $9, rows_written = $10, origins = $11
         where id = $1`,
        [
          id,
          toIso(now()),
          problems.refused,
          printableJson([...problems.refusals(), ...problems.notes()]),
          printableJson(calls()),
          status,
          error,
          published?.firstSession ?? null,
          published?.lastSession ?? null,
          published?.rowsWritten ?? 0,
          printableJson(published?.origins ?? []),
        ],
      );
      await also?.(transaction);
    });
  try {
    const done = await work();
    published = done;
    await afterPublish();
    await finish('succeeded', null);
    const rowsRefused = problems.refused;
    const [refusals, notes] = [problems.refusals(), problems.notes()];
    return { job, source, ...done, rowsRefused, refusals, notes, providers: calls() };
  } catch (error) {
    // If the database cannot record the failure, it is probably the cause, so throw the original error only.
    const message = error instanceof Error ? error.message : String(error);
    // The schedule repeats a stopped run at once, also one that lost its database. After a failed run it waits.
    const status = signal?.aborted || isTransient(error) ? 'stopped' : 'failed';
    await finish(status, printable(message), async (transaction) => {
      // A publication has recorded its events itself.
      if (published !== null) return;
      await writeFailureEvents(transaction, { now: now(), refusals: problems.refusals(), calls: calls() });
      await beforeCommit?.(transaction, new Set());
    }).catch(() => undefined);
    throw error;
  }
}
