import type { Source } from '#collector/history/source.ts';
import { newestPeriod } from '#collector/periods.ts';
import { storeRights } from '#collector/publish/published-rights.ts';
import { jobNeeded } from '#collector/runs/freshness.ts';
import { type RunOptions, runCollector } from '#collector/runs/run-collector.ts';
import type { Job, RunReport } from '#collector/runs/runs.ts';
import { isTransient } from '#database/failures.ts';
import type { Database } from '#database/port.ts';
import { recordVerdictChange } from '#mailer/alerts/verdict-changes.ts';
import { checkClockNotBehind } from '#record/clock.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { recordRisk } from '#record/record-risk.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { reasonOf } from '../log.ts';
import { claimPeriod, finishPeriod } from './job-runs.ts';
import { type Lease, withLease } from './lease.ts';

export interface JobOptions
  extends Pick<RunOptions, 'database' | 'source' | 'now' | 'report' | 'signal' | 'removesFuture'> {
  /** The holder of the lease, a name from `newHolderName`. */
  readonly holder: string;
}

/**
 * Returns true if the risk outlook may be recorded, and records the rights like `storeRights`. The outlook is computed from
 * stored closes instead of published rows, so it needs the right to show them, whoever supplied them, and no delay.
 */
export async function storeRiskRights(database: Database, source: Source): Promise<boolean> {
  if ((source.publishing?.settings.delay ?? 0) > 0) return false;
  const rightOf = await storeRights(database, source);
  return rightOf('sp500_close') === 'value' && rightOf('vix_close') === 'value';
}

async function perform(
  job: Job,
  options: JobOptions,
  lease: Lease,
  period: number | null,
): Promise<RunReport> {
  const { database, source, now, signal } = options;
  const done = await runCollector(job, {
    ...options,
    period,
    signal: signal === undefined ? lease.signal : AbortSignal.any([signal, lease.signal]),
    beforeCommit: async (transaction, batches) => {
      // Changes of the verdict in demonstration data are not recorded, so that they cause no alerts.
      if (!isDemonstration(source.name)) {
        const delay = source.publishing?.settings.delay;
        await recordVerdictChange(transaction, batches, { now: now(), delay });
      }
      await appendEntries(transaction);
    },
    checkHeld: lease.checkHeld,
  });
  if (await storeRiskRights(database, source)) await recordRisk(database, now());
  return done;
}

/** Runs a job, and then the current period is done. Throws LeaseHeld, or the error of the run. */
export function runNow(job: Job, options: JobOptions): Promise<RunReport> {
  const { database, holder, now } = options;
  return withLease(database, { holder }, async (lease) => {
    const startedAt = now();
    if (options.removesFuture !== true) await checkClockNotBehind(database, startedAt);
    const report = await perform(job, options, lease, null);
    const period = newestPeriod(startedAt);
    await claimPeriod(database, period, { holder, now: startedAt });
    await finishPeriod(database, period, { holder, now: now(), error: null });
    return report;
  });
}

/** Runs the newest period, or a needed backfill. Null if it is done, except for files, which may have changed. */
export function runDue(
  options: JobOptions & { readonly onJob: (job: Job) => void },
): Promise<RunReport | null> {
  const { database, source, holder, now, signal, onJob } = options;
  return withLease(database, { holder }, async (lease) => {
    await checkClockNotBehind(database, now());
    const period = newestPeriod(now());
    const job = await jobNeeded(database, source, now());
    const isClaimed = await claimPeriod(database, period, { holder, now: now() });
    if (!isClaimed && job === 'collect' && source.name !== 'csv') return null;
    onJob(job);
    try {
      const report = await perform(job, options, lease, period);
      await finishPeriod(database, period, { holder, now: now(), error: null });
      return report;
    } catch (error) {
      // A run that was stopped or lost its database keeps the status `running`: the next process repeats it at once.
      if (!signal?.aborted && !isTransient(error)) {
        await finishPeriod(database, period, { holder, now: now(), error: reasonOf(error) }).catch(
          () => undefined,
        );
      }
      throw error;
    }
  });
}
