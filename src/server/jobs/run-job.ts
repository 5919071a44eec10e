import type { Source } from '#collector/history/source.ts';
import { newestPeriod } from '#collector/periods.ts';
import { storeRights } from '#collector/publish/published-rights.ts';
import { jobNeeded } from '#collector/runs/freshness.ts';
import { type RunOptions, runCollector } from '#collector/runs/run-collector.ts';
import { type Job, type RunReport, readScheduleState } from '#collector/runs/runs.ts';
import type { Database } from '#database/port.ts';
import { recordVerdictChange } from '#mailer/alerts/verdict-changes.ts';
import { checkClockNotBehind } from '#record/clock.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { recordRisk } from '#record/record-risk.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { type Lease, newHolderName, withLease } from './lease.ts';

export type JobOptions = Pick<
  RunOptions,
  'database' | 'source' | 'now' | 'report' | 'signal' | 'removesFuture'
>;

/**
 * Returns true if the risk outlook may be recorded, and records the rights like `storeRights`. The outlook is computed from
 * stored closes instead of published rows, so it needs the right to show them, whoever supplied them, and no delay.
 */
export async function storeRiskRights(database: Database, source: Source): Promise<boolean> {
  if ((source.publishing?.settings.delay ?? 0) > 0) return false;
  const rightOf = await storeRights(database, source);
  return rightOf('sp500_close') === 'value' && rightOf('vix_close') === 'value';
}

function perform(job: Job, options: JobOptions, lease: Lease, isScheduled: boolean): Promise<RunReport> {
  const { source, now, signal } = options;
  return runCollector(job, {
    ...options,
    isScheduled,
    signal: signal === undefined ? lease.signal : AbortSignal.any([signal, lease.signal]),
    beforeCommit: async (transaction, batches) => {
      // Changes of the verdict in demonstration data are not recorded, so that they cause no alerts.
      if (!isDemonstration(source.name)) {
        const delay = source.publishing?.settings.delay;
        await recordVerdictChange(transaction, batches, { now: now(), delay });
      }
      await appendEntries(transaction);
    },
    afterPublish: async (database) => {
      if (await storeRiskRights(database, source)) await recordRisk(database, now());
    },
    checkHeld: lease.checkHeld,
  });
}

/** Runs a job, and then the current period is done. Throws LeaseHeld, or the error of the run. */
export function runNow(job: Job, options: JobOptions): Promise<RunReport> {
  const { database, now } = options;
  return withLease(database, { holder: newHolderName(job) }, async (lease) => {
    if (options.removesFuture !== true) await checkClockNotBehind(database, now());
    return perform(job, options, lease, false);
  });
}

/** Runs the newest period, or a needed backfill. Null if it is done, except for files, which may have changed. */
export function runDue(
  options: JobOptions & { readonly onJob: (job: Job) => void },
): Promise<RunReport | null> {
  const { database, source, now, onJob } = options;
  return withLease(database, { holder: newHolderName('collect --due') }, async (lease) => {
    await checkClockNotBehind(database, now());
    const period = newestPeriod(now());
    const job = await jobNeeded(database, source, now());
    const { done } = await readScheduleState(database, period);
    if (done === period && job === 'collect' && source.name !== 'csv') return null;
    onJob(job);
    return perform(job, options, lease, true);
  });
}
