import { printable } from '#collector/printable.ts';
import type { Database } from '#database/port.ts';
import { withShortTimeout } from '#database/short-timeout.ts';

/** One period of a job; instants are epoch ms. */
export interface JobPeriod {
  readonly job: string;
  readonly period: number;
}

/** State of a job. */
export interface JobState {
  /** The newest period that is done; null if none is. */
  readonly done: number | null;
  /** Time of the failure of the newest due period; null if it did not fail. */
  readonly failedAt: number | null;
  /** Number of unfinished attempts at that period, and the time of the last; 0 and null without any. */
  readonly attempts: number;
  readonly triedAt: number | null;
}

const iso = (instant: number): string => new Date(instant).toISOString();
const asMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::double precision`;

/** State of a job up to a period. Later periods, of a wrong clock, do not count. */
export async function readJobState(database: Database, { job, period }: JobPeriod): Promise<JobState> {
  const [state] = await withShortTimeout(database).transaction(
    (transaction) =>
      transaction.query<{
        done: number | null;
        failed: number | null;
        attempts: number | null;
        tried: number | null;
      }>(
        `select done, failed, attempts, tried from (
           select ${asMs('max(period)')} as done from operations.job_runs
           where job = $1 and period <= $2 and status = 'succeeded'
         ) before left join (
           select ${asMs('finished_at')} as failed, attempts, ${asMs('started_at')} as tried
           from operations.job_runs where job = $1 and period = $2 and status <> 'succeeded'
         ) newest on true`,
        [job, iso(period)],
      ),
    { readOnly: true },
  );
  return {
    done: state?.done ?? null,
    failedAt: state?.failed ?? null,
    attempts: state?.attempts ?? 0,
    triedAt: state?.tried ?? null,
  };
}

/**
 * Claims a period for the holder of the job's lease. Returns false if it is done. A period with status `running` was left
 * by a holder that was killed, and is claimed again.
 */
export async function claimPeriod(
  database: Database,
  { job, period }: JobPeriod,
  { holder, now }: { holder: string; now: number },
): Promise<boolean> {
  const claimed = await withShortTimeout(database).transaction((transaction) =>
    transaction.query(
      `insert into operations.job_runs as run (job, period, status, holder, started_at)
       values ($1, $2, 'running', $3, $4)
       on conflict (job, period) do update set status = 'running', holder = $3, started_at = $4,
         attempts = run.attempts + 1, finished_at = null, error = null
       where run.status <> 'succeeded'
       returning job`,
      [job, iso(period), holder, iso(now)],
    ),
  );
  return claimed.length > 0;
}

/** Records the end of a claimed period; `error` is null if it is done. Leaves the claim of another holder alone. */
export async function finishPeriod(
  database: Database,
  { job, period }: JobPeriod,
  { holder, now, error }: { holder: string; now: number; error: string | null },
): Promise<void> {
  await withShortTimeout(database).transaction((transaction) =>
    transaction.query(
      `update operations.job_runs set status = $4, finished_at = $5, error = $6
       where job = $1 and period = $2 and holder = $3`,
      [
        job,
        iso(period),
        holder,
        error === null ? 'succeeded' : 'failed',
        iso(now),
        error && printable(error),
      ],
    ),
  );
}
