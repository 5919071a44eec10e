import { MISSED_REPORTED, missedPeriods, newestPeriod, RETRY_AFTER } from '#collector/periods.ts';
import type { Report } from '#collector/progress.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import { PERIODIC_JOB, readJobState } from './job-runs.ts';
import { isLeaseHeld } from './lease.ts';
import type { RecordedRun } from './recorded-run.ts';
import { RunFailed } from './run-process.ts';
import type { ScheduledRun } from './schedule.ts';

/** Short, since there may be no rows to show yet, and the lease of a killed process may expire at any second. */
const CHECK_EVERY_MS = 10_000;
/** After this many attempts that did not end, in any process, each further attempt waits for `RETRY_AFTER`. */
const ATTEMPTS_AT_ONCE = 3;

interface CollectingOptions {
  /** Has the state of the periods. */
  readonly database: Database;
  /** Runs the newest period. */
  readonly run: RecordedRun;
  readonly source: Pick<Source, 'name'>;
  /**
   * True to run once even if the newest period is done, because no rows of the source are shown or its folder may have
   * changed.
   */
  readonly mustRun: boolean;
  /** Start of this process (epoch ms). */
  readonly began: number;
  readonly now: () => number;
  readonly log: Log;
}

/** The scheduled runs of a server. */
export interface Collecting {
  /** Runs the newest period if it has not run yet and its retry delay has passed. Throws RunFailed. */
  catchUp(report?: Report): Promise<void>;
  readonly scheduledRun: ScheduledRun;
  /** Number of consecutive missed periods. */
  missed(): number;
}

export function createCollecting(options: CollectingOptions): Collecting {
  const { database, run, source, began, now, log } = options;
  // A replayed folder gets no newer session. A command replays it again.
  const isCollected = source.name !== 'replay';
  const isLive = source.name === 'live';
  /** The newest period known to be done, by any process. */
  let done: number | null = null;
  /** The last failure in this process (epoch ms). */
  let failedAt: number | null = null;
  let { mustRun } = options;
  let isMissedLogged = false;
  let isPostponedLogged = false;

  async function runNewest(report?: Report): Promise<void> {
    const period = newestPeriod(now());
    try {
      await run(report);
      done = period;
      failedAt = null;
      mustRun = false;
    } catch (error) {
      // Without the lease or the database, no request was sent, so the next check may retry.
      const mayRetry = error instanceof RunFailed && ['busy', 'unavailable'].includes(error.failure);
      if (!mayRetry) failedAt = now();
      throw error;
    }
  }

  const isRecent = (instant: number): boolean => instant <= now() && now() - instant < RETRY_AFTER;

  /** A failure before this process began may have been fixed by the restart. */
  const hasJustFailed = (failure: number | null): boolean =>
    failure !== null && failure >= began && isRecent(failure);

  async function isDue(): Promise<boolean> {
    const period = newestPeriod(now());
    if (!mustRun && (!isCollected || done === period)) return false;
    const state = await readJobState(database, period);
    done = state.done;
    if (!mustRun && done === period) return false;
    if (hasJustFailed(failedAt) || hasJustFailed(state.failedAt)) return false;
    const { attempts, triedAt } = state;
    if (isLive && attempts >= ATTEMPTS_AT_ONCE && triedAt !== null && isRecent(triedAt)) {
      logPostponed(attempts);
      return false;
    }
    return true;
  }

  function logPostponed(attempts: number): void {
    if (!isPostponedLogged) {
      const reason =
        'Each attempt so far was killed before it ended. The next one is ten minutes after the last.';
      log.warn('run postponed', { job: PERIODIC_JOB, attempts, source: source.name, reason });
    }
    isPostponedLogged = true;
  }

  // Without any finished period, the period before the start counts as done.
  const missed = (): number => (isCollected ? missedPeriods(done ?? newestPeriod(began) - 1, now()) : 0);

  function logMissed(): void {
    const count = missed();
    if (count >= MISSED_REPORTED && !isMissedLogged) {
      log.warn('periods missed', { job: PERIODIC_JOB, count, source: source.name });
    }
    isMissedLogged = count >= MISSED_REPORTED;
  }

  async function check(): Promise<void> {
    try {
      // Starts no process while another one runs the period and logs it.
      if (!(await isDue()) || (await isLeaseHeld(database))) return;
      await runNewest();
    } catch (error) {
      // A failed run has its own line in the log.
      if (!(error instanceof RunFailed)) throw error;
    } finally {
      logMissed();
    }
  }

  return {
    async catchUp(report) {
      if (await isDue()) await runNewest(report);
    },
    missed,
    scheduledRun: { name: PERIODIC_JOB, everyMs: CHECK_EVERY_MS, run: check },
  };
}
