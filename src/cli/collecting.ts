import { MISSED_TOLD, missedPeriods, newestPeriod, RETRY_AFTER } from '#collector/periods.ts';
import type { Report } from '#collector/progress.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { isTransient } from '#database/unavailable.ts';
import { readJobState } from '#server/jobs/job-runs.ts';
import { isLeaseHeld, LeaseHeld } from '#server/jobs/lease.ts';
import type { ScheduledRun } from '#server/jobs/schedule.ts';
import type { Log } from '#server/log.ts';
import type { RunMetrics } from '#server/metrics/run-metrics.ts';
import { recordedRun } from './recorded-run.ts';
import { LEASE, PERIODIC_JOB, type PerformRun } from './run-job.ts';

const EVERY_MINUTE = 60_000;
const EVERY_FIVE_SECONDS = 5_000;
/** A period begun so often without an end waits, whoever begins anew: a process that dies of it must not ask on and on. */
const ATTEMPTS_AT_ONCE = 3;

interface CollectingOptions<S> {
  /** Says which periods are done. */
  database: Database;
  /** Does a run, here or elsewhere. */
  perform: PerformRun<S>;
  /** Where the schedule collects from, until a command names another source. */
  source: S;
  /** A run is wanted whatever the records say: there is nothing of the source, or its folder may have changed. */
  isOwed: boolean;
  /** When this process began (epoch ms), and when it last failed of what is owed. */
  began: number;
  failedAt: number | null;
  now: () => number;
  log: Log;
  metrics: RunMetrics;
  /** Set when the process is to end: a run under way ends with it. */
  signal: AbortSignal;
}

/** The collector inside a serving process: one run at a time, by the schedule or because a command asks. */
export interface Collecting<S> {
  /** Runs a job; the schedule goes on with its source once it has succeeded. Throws LeaseHeld, or what the run throws. */
  run(job: Job, source: S, report?: Report): Promise<RunReport | null>;
  /** Whether the newest period is still to be done, and may be tried now. */
  isWanted(): Promise<boolean>;
  /** Does what the newest period asks for, where it is not done yet. Throws as `run`. */
  catchUp(report?: Report): Promise<void>;
  /** Looks every minute for a period that is due; and every few seconds while a run is owed. */
  readonly scheduledRuns: readonly [ScheduledRun, ScheduledRun];
  /** How many periods in a row are missed. */
  missed(): number;
}

/** What is told apart of sources here. */
type Named = Pick<Source, 'word'>;

/** A folder gives no newer session by waiting, so a replay stands still until a command moves it on. */
const isCollected = ({ word }: Named) => word !== 'replay';

/** Whether a run asks somebody who may take it ill. */
const isLive = ({ word }: Named) => word === 'live';

export function createCollecting<S extends Named>(options: CollectingOptions<S>): Collecting<S> {
  const { database, perform, began, now, log, signal } = options;
  let current = options.source;
  let last: Promise<unknown> = Promise.resolve();
  /** The newest period known to be done, by whichever process; and when this one last failed. */
  let done: number | null = null;
  let { failedAt, isOwed } = options;
  let isTold = false;
  let isPutOffTold = false;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  }

  function succeeded(period: number): void {
    done = period;
    failedAt = null;
    isOwed = false;
  }

  const run: Collecting<S>['run'] = (job, source, report) =>
    inTurn(async () => {
      const period = newestPeriod(now());
      const told = await recordedRun(options, { job, period: null, source: source.word }, (tell) =>
        perform({ kind: 'asked', job }, source, { ...tell, report, signal }),
      );
      current = source;
      succeeded(period);
      return told;
    });

  const catchUp = (report?: Report): Promise<void> =>
    inTurn(async () => {
      const period = newestPeriod(now());
      const again = isOwed && current.word === 'csv';
      try {
        await recordedRun(options, { job: 'collect', period, source: current.word }, (tell) =>
          perform({ kind: 'due', period, again }, current, { ...tell, report, signal }),
        );
        succeeded(period);
      } catch (error) {
        // A database that is away asks nobody anything, and the minute's look waits for it.
        if (!(error instanceof LeaseHeld) && !isTransient(error)) failedAt = now();
        throw error;
      }
    });

  const isOfLate = (instant: number): boolean => instant <= now() && now() - instant < RETRY_AFTER;

  /** Since this process began: what an earlier one failed of may have been mended by the restart. */
  const hasJustFailed = (failure: number | null): boolean =>
    failure !== null && failure >= began && isOfLate(failure);

  async function isWanted(): Promise<boolean> {
    const period = newestPeriod(now());
    if (done === period && !isOwed) return false;
    const state = await readJobState(database, { job: PERIODIC_JOB, period });
    done = state.done;
    if (done === period && !isOwed) return false;
    if (hasJustFailed(failedAt) || hasJustFailed(state.failedAt)) return false;
    const { attempts, triedAt } = state;
    if (isLive(current) && attempts >= ATTEMPTS_AT_ONCE && triedAt !== null && isOfLate(triedAt)) {
      tellPutOff(attempts);
      return false;
    }
    return true;
  }

  function tellPutOff(attempts: number): void {
    if (!isPutOffTold) {
      const reason = 'It was begun again and again without an end; it waits ten minutes after each try.';
      log.warn('run put off', { job: PERIODIC_JOB, attempts, source: current.word, reason });
    }
    isPutOffTold = true;
  }

  // Where nothing was ever done, the period under way at the start is the first that can be missed.
  const missed = (): number =>
    isCollected(current) ? missedPeriods(done ?? newestPeriod(began) - 1, now()) : 0;

  function tellMissed(): void {
    const count = missed();
    if (count >= MISSED_TOLD && !isTold) {
      log.warn('periods missed', { job: PERIODIC_JOB, count, source: current.word });
    }
    isTold = count >= MISSED_TOLD;
  }

  const look: ScheduledRun['run'] = async () => {
    try {
      // Another process that is at it logs its run; a process of ours would start only to be refused.
      if (!(await isWanted()) || (await isLeaseHeld(database, LEASE))) return;
      // A failure has its own line in the log.
      await catchUp().catch(() => undefined);
    } finally {
      tellMissed();
    }
  };

  return {
    run,
    isWanted,
    catchUp,
    missed,
    scheduledRuns: [
      {
        name: PERIODIC_JOB,
        everyMs: EVERY_MINUTE,
        atStart: isCollected(current),
        isDue: () => isCollected(current),
        run: look,
      },
      // There may be nothing to show yet, and the lease of a killed process ends at any second.
      { name: PERIODIC_JOB, everyMs: EVERY_FIVE_SECONDS, isDue: () => isOwed, run: look },
    ],
  };
}
