import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { backfill, collect } from '#collector/collect.ts';
import { jobNeeded } from '#collector/job-needed.ts';
import { newestPeriod } from '#collector/periods.ts';
import type { Report } from '#collector/progress.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { isTransient } from '#database/unavailable.ts';
import { claimPeriod, finishPeriod, type JobPeriod } from '#server/jobs/job-runs.ts';
import { giveBackLease, type Lease, withLease } from '#server/jobs/lease.ts';
import { reasonOf } from '#server/log.ts';

const JOBS = { collect, backfill } as const;
/** One lease for all that writes the market's tables, and one job whose periods are counted. */
export const LEASE = 'collector';
export const PERIODIC_JOB = 'collect';

export interface JobOptions {
  readonly database: Database;
  readonly source: Source;
  readonly now: () => number;
  /** Who runs it, from `holderNamed`. */
  readonly holder: string;
  readonly report?: Report | undefined;
  /** Set when the run is to end. */
  readonly signal?: AbortSignal | undefined;
}

/** Who does one run, for whoever is refused meanwhile, and unlike any other; `by` is 'serve', or a command. */
export const holderNamed = (by: string, pid = process.pid): string =>
  `${by} on ${hostname()}, process ${pid}, ${randomBytes(4).toString('hex')}`;

type Holding = Pick<JobOptions, 'database' | 'holder'>;

/**
 * Does work that writes the market's tables, one process at a time. Throws LeaseHeld when another is at it, or what the
 * work throws.
 */
export function whileHolding<T>(
  { database, holder }: Holding,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  return withLease(database, { name: LEASE, holder }, work);
}

/** Lets others go on at once after a run whose process was ended before it could. Rejects with what the database throws. */
export const letGo = ({ database, holder }: Holding): Promise<void> =>
  giveBackLease(database, { name: LEASE, holder });

function perform(job: Job, options: JobOptions, lease: Lease, period: number | null): Promise<RunReport> {
  const { database, source, now, report, signal } = options;
  return JOBS[job]({
    database,
    source,
    now,
    report,
    period,
    signal: signal === undefined ? lease.signal : AbortSignal.any([signal, lease.signal]),
    stillMine: (transaction) => lease.stillMine(transaction),
  });
}

/**
 * Runs a job because somebody asks for it, one at a time among all processes on the database. Where it succeeds,
 * the period under way is done. Throws LeaseHeld when another is at it, or what the run throws.
 */
export function runNow(job: Job, options: JobOptions): Promise<RunReport> {
  const { database, holder, now } = options;
  return whileHolding(options, async (lease) => {
    const startedAt = now();
    const report = await perform(job, options, lease, null);
    const period: JobPeriod = { job: PERIODIC_JOB, period: newestPeriod(startedAt) };
    await claimPeriod(database, period, { holder, now: startedAt });
    await finishPeriod(database, period, { holder, now: now(), error: null });
    return report;
  });
}

/**
 * Does what is due for a period (epoch ms), once among all processes: a run of the collector, or a backfill where
 * too much is missing for one; `onJob` is told which. Null when the period is done, unless `again`. Throws as
 * `runNow`.
 */
export function runPeriod(
  at: number,
  options: JobOptions & { readonly again: boolean; readonly onJob: (job: Job) => void },
): Promise<RunReport | null> {
  const { database, source, holder, now, signal, again, onJob } = options;
  const period: JobPeriod = { job: PERIODIC_JOB, period: at };
  return whileHolding(options, async (lease) => {
    const job = await jobNeeded(database, source, now());
    const isClaimed = await claimPeriod(database, period, { holder, now: now() });
    if (!isClaimed && job === 'collect' && !again) return null;
    onJob(job);
    try {
      const report = await perform(job, options, lease, at);
      await finishPeriod(database, period, { holder, now: now(), error: null });
      return report;
    } catch (error) {
      // A run that was told to end, or lost its database, is left as a killed one is, and taken up at once by the next.
      if (!signal?.aborted && !isTransient(error)) {
        await finishPeriod(database, period, { holder, now: now(), error: reasonOf(error) }).catch(
          () => undefined,
        );
      }
      throw error;
    }
  });
}

/** What a serving process has done: a job somebody asks for, or what is due for a period (epoch ms). */
export type RunTask =
  | { readonly kind: 'asked'; readonly job: Job }
  | { readonly kind: 'due'; readonly period: number; readonly again: boolean };

/** Who hears of a run, and may end it. */
export interface RunWatch {
  readonly signal: AbortSignal;
  readonly report?: Report | undefined;
  /** Told when another job is needed than was asked for. */
  onJob(job: Job): void;
  /** Told what has been asked of providers so far. */
  onCalls(calls: readonly ProviderCalls[]): void;
}

/** Does a task from a source; null when it was done already. Throws as `runNow`. */
export type PerformRun<S> = (task: RunTask, source: S, watch: RunWatch) => Promise<RunReport | null>;

/** Does tasks in this thread, one at a time. */
export function performHere(options: Pick<JobOptions, 'database' | 'now' | 'holder'>): PerformRun<Source> {
  return async (task, source, { signal, report, onJob, onCalls }) => {
    const tellCalls = () => onCalls(source.calls?.() ?? []);
    const telling: Report = (progress) => {
      tellCalls();
      report?.(progress);
    };
    const job: JobOptions = { ...options, source, signal, report: telling };
    try {
      if (task.kind === 'asked') return await runNow(task.job, job);
      return await runPeriod(task.period, { ...job, again: task.again, onJob });
    } finally {
      tellCalls();
    }
  };
}
