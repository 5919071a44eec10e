import type { Report } from '#collector/history/source.ts';
import { MISSED_REPORTED, missedPeriods, newestPeriod, RETRY_AFTER } from '#collector/periods.ts';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import { type RunReport, readScheduleState } from '#collector/runs/runs.ts';
import type { Database } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { type Log, type LogFields, reasonOf } from '../log.ts';
import type { RunMetrics } from '../metrics/counters.ts';
import { isLeaseHeld } from './lease.ts';
import { type PerformDue, RunFailed } from './run-process.ts';

/** Interval of the checks (ms). It is short, because the lease of a killed process may expire at any time. */
const CHECK_EVERY_MS = 10_000;
/** Attempts at a period without delay. If all of them were killed, each further one waits for `RETRY_AFTER`. */
const ATTEMPTS_AT_ONCE = 3;

/** Name of the job in the log, also if it runs as a backfill. */
const JOB = 'collect';

interface CollectingOptions {
  readonly perform: PerformDue;
  readonly source: MarketSource;
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: RunMetrics;
  readonly signal: AbortSignal;
  readonly database: Database;
  /** True if a run must be made even if the newest period is done: for another source, or files that may have changed. */
  readonly mustRun: boolean;
  /** Start of this process (epoch ms). */
  readonly began: number;
}

export function createCollecting(options: CollectingOptions) {
  const { database, source, began, now, log } = options;
  // The folder of a replay gets no newer session, so a replay needs no scheduled runs.
  const isCollected = source !== 'replay';
  const isLive = source === 'live';
  /** The newest period that is known to be done. Any process may have done it. */
  let done: number | null = null;
  /** Time of the last failure in this process (epoch ms); null without a failure. */
  let failedAt: number | null = null;
  let { mustRun } = options;
  let isMissedLogged = false;
  let isPostponedLogged = false;

  async function runNewest(report?: Report): Promise<void> {
    const period = newestPeriod(now());
    try {
      await runLogged(options, report);
      done = period;
      failedAt = null;
      mustRun = false;
    } catch (error) {
      // With the lease elsewhere or no database, no request was sent to a provider, so the next check may retry.
      const mayRetry = error instanceof RunFailed && ['busy', 'unavailable'].includes(error.failure);
      if (!mayRetry) failedAt = now();
      throw error;
    }
  }

  const isRecent = (instant: number): boolean => instant <= now() && now() - instant < RETRY_AFTER;

  /** True if the failure happened recently and in this process's time: a restart may have fixed its cause. */
  const hasJustFailed = (failure: number | null): boolean =>
    failure !== null && failure >= began && isRecent(failure);

  async function isDue(): Promise<boolean> {
    const period = newestPeriod(now());
    if (!mustRun && (!isCollected || done === period)) return false;
    const state = await readScheduleState(database, period);
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
        'Each attempt so far was killed before it ended. The next attempt begins ten minutes after the last one.';
      log.warn('run postponed', { job: JOB, attempts, source, reason });
    }
    isPostponedLogged = true;
  }

  // The number of consecutive missed periods. If no period was ever done, the last period before the start of this process counts as done.
  const missed = (): number => (isCollected ? missedPeriods(done ?? newestPeriod(began) - 1, now()) : 0);

  function logMissed(): void {
    const count = missed();
    if (count >= MISSED_REPORTED && !isMissedLogged) {
      log.warn('periods missed', { job: JOB, count, source: source });
    }
    isMissedLogged = count >= MISSED_REPORTED;
  }

  async function check(): Promise<void> {
    try {
      // Starts no run while another process performs it and logs it.
      if (!(await isDue()) || (await isLeaseHeld(database))) return;
      await runNewest();
    } catch (error) {
      // A failed run has already written its own line to the log.
      if (!(error instanceof RunFailed)) throw error;
    } finally {
      logMissed();
    }
  }

  return {
    /** Runs the newest period if it has not run yet and its retry delay has passed. Throws RunFailed. */
    async catchUp(report?: Report) {
      if (await isDue()) await runNewest(report);
    },
    missed,
    scheduledRun: { name: JOB, everyMs: CHECK_EVERY_MS, run: check },
  };
}

/** Performs a run, counts it and logs one line, unless nothing was due or the lease is held. Throws RunFailed. */
async function runLogged(
  { perform, source, now, log, metrics, signal }: CollectingOptions,
  onProgress?: Report,
): Promise<void> {
  const startedAt = now();
  const period = new Date(newestPeriod(startedAt)).toISOString();
  const { job, calls, report, failed } = await perform({ signal, onProgress });
  if (failed?.failure === 'busy') throw failed;
  if (failed === null && report === null) return;
  const ms = now() - startedAt;
  const fields = { job, period, source, ms, ...callFields(calls) };
  metrics.count({ job, outcome: outcomeOf(failed), ms, calls, report });
  if (report !== null) log.info('job done', { ...fields, ...reportFields(report) });
  if (failed === null) return;
  if (failed.failure === 'stopped') log.info('job stopped', fields);
  else log.error('job failed', { ...fields, reason: reasonOf(failed) });
  throw failed;
}

function outcomeOf(failed: RunFailed | null) {
  if (failed === null) return 'succeeded';
  return failed.failure === 'stopped' ? 'stopped' : 'failed';
}

/** Returns for example `alpaca: 2 timeout, 1 server error; cboe: 3 refused`; undefined without failures. */
function failuresOf(calls: readonly ProviderCalls[]): string | undefined {
  const named = calls.flatMap(({ provider, failures }) => {
    const kinds = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
    return kinds.length === 0 ? [] : [`${provider}: ${kinds.join(', ')}`];
  });
  return named.length === 0 ? undefined : named.join('; ');
}

function callFields(calls: readonly ProviderCalls[]): LogFields {
  if (calls.length === 0) return {};
  return { requests: calls.reduce((sum, { requests }) => sum + requests, 0), failures: failuresOf(calls) };
}

function reportFields({ lastSession, rowsWritten, rowsRefused, notes, origins }: RunReport): LogFields {
  const missing = origins.flatMap(({ input, session }) => (session === null ? [input] : []));
  return {
    session: lastSession,
    rowsWritten,
    rowsRefused,
    corrections: notes.find(({ kind }) => kind === 'correction')?.count,
    missing: missing.length === 0 ? undefined : missing.join(', '),
  };
}
