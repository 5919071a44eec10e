import { MISSED_REPORTED, missedPeriods, newestPeriod, RETRY_AFTER } from '#collector/periods.ts';
import type { Report } from '#collector/progress.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import { readJobState } from './job-runs.ts';
import { isLeaseHeld } from './lease.ts';
import { recordedRun } from './recorded-run.ts';
import { LEASE, PERIODIC_JOB } from './run-job.ts';
import { type PerformDue, RunFailed } from './run-process.ts';
import type { ScheduledRun } from './schedule.ts';

const EVERY_MINUTE = 60_000;
const EVERY_FIVE_SECONDS = 5_000;
/** A period that was started this often without an end waits before the next attempt, in whichever process. */
const ATTEMPTS_AT_ONCE = 3;

interface CollectingOptions {
  /** Holds the state of the periods. */
  readonly database: Database;
  readonly perform: PerformDue;
  readonly source: Pick<Source, 'name'>;
  /** True if a run is needed even if the newest period is done: no rows of the source are shown, or its folder may have changed. */
  readonly isOwed: boolean;
  /** Start of this process (epoch ms). */
  readonly began: number;
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: RunMetrics;
  /** Aborts when the process must end, and stops the current run. */
  readonly signal: AbortSignal;
}

/** The scheduled runs of a server. */
export interface Collecting {
  /** True if the newest period has not run yet and its retry delay has passed. */
  isWanted(): Promise<boolean>;
  /** Runs the newest period. Throws RunFailed. */
  catchUp(report?: Report): Promise<void>;
  /** A check every minute for a due period, and every few seconds while a run is owed. */
  readonly scheduledRuns: readonly [ScheduledRun, ScheduledRun];
  /** Number of consecutive missed periods. */
  missed(): number;
}

export function createCollecting(options: CollectingOptions): Collecting {
  const { database, perform, source, began, now, log, signal } = options;
  // A replayed folder has no newer session by waiting; a command moves it on.
  const isCollected = source.name !== 'replay';
  const isLive = source.name === 'live';
  /** The newest period known to be done, by whichever process. */
  let done: number | null = null;
  /** The last failure in this process (epoch ms). */
  let failedAt: number | null = null;
  let { isOwed } = options;
  let isTold = false;
  let isPutOffTold = false;

  async function catchUp(report?: Report): Promise<void> {
    const period = newestPeriod(now());
    try {
      await recordedRun(options, { period, source: source.name }, (watch) =>
        perform({ ...watch, report, signal }),
      );
      done = period;
      failedAt = null;
      isOwed = false;
    } catch (error) {
      // A run that is held elsewhere, or without a database, made no requests: the next check may try again.
      const mayRetry = error instanceof RunFailed && ['held', 'away'].includes(error.failure);
      if (!mayRetry) failedAt = now();
      throw error;
    }
  }

  const isRecent = (instant: number): boolean => instant <= now() && now() - instant < RETRY_AFTER;

  /** A failure before this process began may have been fixed by the restart. */
  const hasJustFailed = (failure: number | null): boolean =>
    failure !== null && failure >= began && isRecent(failure);

  async function isWanted(): Promise<boolean> {
    const period = newestPeriod(now());
    if (done === period && !isOwed) return false;
    const state = await readJobState(database, { job: PERIODIC_JOB, period });
    done = state.done;
    if (done === period && !isOwed) return false;
    if (hasJustFailed(failedAt) || hasJustFailed(state.failedAt)) return false;
    const { attempts, triedAt } = state;
    if (isLive && attempts >= ATTEMPTS_AT_ONCE && triedAt !== null && isRecent(triedAt)) {
      tellPutOff(attempts);
      return false;
    }
    return true;
  }

  function tellPutOff(attempts: number): void {
    if (!isPutOffTold) {
      const reason = 'It was begun again and again without an end; it waits ten minutes after each try.';
      log.warn('run put off', { job: PERIODIC_JOB, attempts, source: source.name, reason });
    }
    isPutOffTold = true;
  }

  // Without any finished period, the period before the start counts as done.
  const missed = (): number => (isCollected ? missedPeriods(done ?? newestPeriod(began) - 1, now()) : 0);

  function tellMissed(): void {
    const count = missed();
    if (count >= MISSED_REPORTED && !isTold) {
      log.warn('periods missed', { job: PERIODIC_JOB, count, source: source.name });
    }
    isTold = count >= MISSED_REPORTED;
  }

  const check: ScheduledRun['run'] = async () => {
    try {
      // Starts no process while another one is running the period and logs it.
      if (!(await isWanted()) || (await isLeaseHeld(database, LEASE))) return;
      // A failed run has its own line in the log.
      await catchUp().catch(() => undefined);
    } finally {
      tellMissed();
    }
  };

  return {
    isWanted,
    catchUp,
    missed,
    scheduledRuns: [
      {
        name: PERIODIC_JOB,
        everyMs: EVERY_MINUTE,
        atStart: isCollected,
        isDue: () => isCollected,
        run: check,
      },
      // There may be no rows to show yet, and the lease of a killed process expires at any second.
      { name: PERIODIC_JOB, everyMs: EVERY_FIVE_SECONDS, isDue: () => isOwed, run: check },
    ],
  };
}
