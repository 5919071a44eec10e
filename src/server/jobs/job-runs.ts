import { toIso } from '#collector/instants.ts';
import { printable } from '#collector/problems.ts';
import { type Database, epochMs, queryOnce, readOnce } from '#database/port.ts';

/** The job whose periods are recorded: a scheduled collection, also if it runs as a backfill. */
export const PERIODIC_JOB = 'collect';

/** State of the job. All times are epoch ms. */
export interface JobState {
  /** The newest period that is done; null if no period is done. */
  readonly done: number | null;
  /** Time at which the newest period failed; null if it has not failed. */
  readonly failedAt: number | null;
  /** Unsuccessful attempts at the newest period, and the start of the last one; 0 and null without any. */
  readonly attempts: number;
  readonly triedAt: number | null;
}

/** Reads the state of the job up to a period (epoch ms). A process with a wrong clock may have recorded later ones. */
export async function readJobState(database: Database, period: number): Promise<JobState> {
  const [state] = await readOnce<JobState>(
    database,
    `select done, "failedAt", coalesce(attempts, 0) as attempts, "triedAt" from (
       select ${epochMs('max(period)')} as done from operations.job_runs
       where job = $1 and period <= $2 and status = 'succeeded'
     ) before left join (
       select ${epochMs('finished_at')} as "failedAt", attempts, ${epochMs('started_at')} as "triedAt"
       from operations.job_runs where job = $1 and period = $2 and status <> 'succeeded'
     ) newest on true`,
    [PERIODIC_JOB, toIso(period)],
  );
  return state ?? { done: null, failedAt: null, attempts: 0, triedAt: null };
}

/** Claims a period for the holder of the lease, also after a killed one. Returns false if the period is done. */
export async function claimPeriod(
  database: Database,
  period: number,
  { holder, now }: { holder: string; now: number },
): Promise<boolean> {
  const claimed = await queryOnce(
    database,
    `insert into operations.job_runs as run (job, period, status, holder, started_at)
     values ($1, $2, 'running', $3, $4)
     on conflict (job, period) do update set status = 'running', holder = $3, started_at = $4,
       attempts = run.attempts + 1, finished_at = null, error = null
     where run.status <> 'succeeded'
     returning job`,
    [PERIODIC_JOB, toIso(period), holder, toIso(now)],
  );
  return claimed.length > 0;
}

/** Records the end of a claimed period, with null after a success. Changes nothing if another holder has claimed it. */
export async function finishPeriod(
  database: Database,
  period: number,
  { holder, now, error }: { holder: string; now: number; error: string | null },
): Promise<void> {
  const status = error === null ? 'succeeded' : 'failed';
  await queryOnce(
    database,
    `update operations.job_runs set status = $4, finished_at = $5, error = $6
     where job = $1 and period = $2 and holder = $3`,
    [PERIODIC_JOB, toIso(period), holder, status, toIso(now), error && printable(error)],
  );
}
