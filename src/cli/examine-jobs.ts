import type { Transaction } from '#database/port.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

const LOOKED_AT_DAYS = 7;
const MS_PER_DAY = 86_400_000;
/** So many periods that failed in the end, in a row up to the newest, are wrong rather than noted. */
const FAILED_IN_A_ROW = 2;

/** Who is at work at the moment, and how the schedule's periods of the last week went. */
export async function examineJobs(transaction: Transaction, now: number): Promise<Finding[]> {
  return [...(await examineLeases(transaction)), ...(await examinePeriods(transaction, now))];
}

async function examineLeases(transaction: Transaction): Promise<Finding[]> {
  const leases = await transaction.query<{ name: string; holder: string; since: string; isOver: boolean }>(
    `select name, holder, taken_at as since, held_until < clock_timestamp() as "isOver"
     from operations.leases order by name`,
  );
  return leases.map(({ name, holder, since, isOver }) =>
    isOver
      ? note(
          `The ${name} was left by ${holder} in the middle of its work, since ${since}; the next run takes over.`,
        )
      : note(`The ${name} is at work: ${holder}, since ${since}.`),
  );
}

interface Period {
  job: string;
  period: string;
  status: 'running' | 'succeeded' | 'failed';
  attempts: number;
  error: string | null;
  [column: string]: unknown;
}

async function examinePeriods(transaction: Transaction, now: number): Promise<Finding[]> {
  const periods = await transaction.query<Period>(
    `select job, period, status, attempts, error from operations.job_runs
     where period > $1 and period <= $2 order by period desc`,
    [new Date(now - LOOKED_AT_DAYS * MS_PER_DAY).toISOString(), new Date(now).toISOString()],
  );
  const [newest] = periods;
  if (newest === undefined) return [note('The schedule has done nothing in the last seven days.')];
  const failed = periods.filter(({ status }) => status === 'failed');
  const firstDone = periods.findIndex(({ status }) => status === 'succeeded');
  const inARow = firstDone === -1 ? failed.length : firstDone;
  const last = `The schedule's last period (${newest.job}, ${newest.period}) ${WORDS[newest.status]}`;
  const tried = newest.attempts > 1 ? ` at attempt ${newest.attempts}` : '';
  const why = newest.error === null ? '' : `: ${newest.error}`;
  const finding = `${last}${tried}${why}`.replace(/\.?$/, '.');
  return [
    newest.status !== 'failed' ? fine(finding) : inARow < FAILED_IN_A_ROW ? note(finding) : wrong(finding),
    ...(failed.length === 0
      ? []
      : [
          note(
            `Of ${periods.length} periods in the last seven days ${failed.length} failed; operations.job_runs says why.`,
          ),
        ]),
  ];
}

const WORDS: Readonly<Record<Period['status'], string>> = {
  running: 'is under way, or was killed,',
  succeeded: 'was done',
  failed: 'failed',
};
