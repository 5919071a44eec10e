import type { InputOrigin } from '#collector/history/source.ts';
import type { ProblemKind, ProblemSummary } from '#collector/problems.ts';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import { newestRuns, type RecordedRun } from '#collector/runs/runs.ts';
import type { Transaction } from '#database/port.ts';
import { verifyAnchor } from '#record/ledger/anchors.ts';
import { auditLedger } from '#record/ledger/audit-ledger.ts';
import { LedgerError } from '#record/ledger/entries.ts';
import { readTree } from '#record/ledger/served-ledger.ts';
import { readAnchorStates, readAnchors } from '#record/ledger/stored-anchors.ts';
import { damagedPublications } from '#record/quality.ts';
import { IS_FREE } from '#server/jobs/lease.ts';
import { writeInstant } from '../terminal/signal-report.ts';
import * as words from '../terminal/wording.ts';
import { type DatabaseCheck, type Finding, fine, note, wrong } from './finding.ts';

/** If this many newest periods failed one after another, the finding is a fault; if fewer failed, it is a note. */
const FAILED_IN_A_ROW = 2;

/** Checks which jobs are running, and which jobs a killed process has left. */
export const checkLeases: DatabaseCheck = async (transaction) => {
  const leases = await transaction.query<{ name: string; holder: string; since: string; isExpired: boolean }>(
    `select name, holder, taken_at as since, ${IS_FREE} as "isExpired"
     from operations.leases order by name`,
  );
  return leases.map(({ name, holder, since, isExpired }) =>
    note(
      isExpired
        ? `The ${name} that ${holder} started at ${since} did not finish. Its lease has expired, so the next run takes over.`
        : `The ${name} is running: ${holder}, since ${since}.`,
    ),
  );
};

interface Period extends Pick<RecordedRun, 'period' | 'status' | 'error'> {
  attempts: number;
}

/** Describes a run with the status `running`, which a killed process leaves behind if its lease has expired. */
async function describeRunning(transaction: Transaction, run: string): Promise<Finding> {
  const held = await transaction.query(`select from operations.leases where not ${IS_FREE}`);
  return held.length > 0
    ? fine(`${run} is running.`)
    : note(`${run} did not finish, because its process ended. The next run takes over.`);
}

export const checkScheduledRuns: DatabaseCheck = async (transaction, { now }) => {
  // The first success of each period, or else its last attempt. A success on request completes the period too.
  const periods = await transaction.query<Period>(
    `select distinct on (period) period, case status when 'stopped' then 'running' else status end as status, error,
       row_number() over (partition by period order by id) as attempts
     from collector.runs
     where period > $1::timestamptz - interval '7 days' and period <= $1 and (is_scheduled or status = 'succeeded')
     order by period desc, status <> 'succeeded', case status when 'succeeded' then id else -id end`,
    [new Date(now).toISOString()],
  );
  const [newest] = periods;
  if (newest === undefined) return [note('No scheduled run took place in the last seven days.')];
  const failed = periods.filter(({ status }) => status === 'failed').length;
  const firstSuccess = periods.findIndex(({ status }) => status === 'succeeded');
  const failedInARow = firstSuccess === -1 ? failed : firstSuccess;
  const run = `The last scheduled run (collect, ${newest.period})`;
  const attempt = newest.attempts > 1 ? ` at attempt ${newest.attempts}` : '';
  const reason = newest.error === null ? '' : `: ${newest.error}`;
  const text = `${run} ${newest.status}${attempt}${reason}`.replace(/\.?$/, '.');
  const state = newest.status !== 'failed' ? fine : failedInARow < FAILED_IN_A_ROW ? note : wrong;
  const failures = `${failed} of ${words.writeCount(periods.length, 'scheduled run')} failed in the last seven days. "runs list" prints the reasons.`;
  const finding = newest.status === 'running' ? await describeRunning(transaction, run) : state(text);
  return [finding, ...(failed === 0 ? [] : [note(failures)])];
};

/** Describes the newest run of the collector, which a schedule or a command started. */
export const checkLastRun: DatabaseCheck = async (transaction) => {
  const [run] = await newestRuns(transaction, 1);
  if (run === undefined) return [note('No collector run has taken place yet.')];
  const last = `The last run (${run.job}, ${run.startedAt})`;
  if (run.status === 'running') return [await describeRunning(transaction, last)];
  if (run.status === 'failed') return [wrong(`${last} failed: ${run.error ?? 'no reason is recorded'}`)];
  return run.rowsRefused === 0
    ? [fine(`${last} ${run.status}.`)]
    : [
        note(
          `${last} ${run.status} and refused ${words.writeCount(run.rowsRefused, 'row')}. "runs list --json" names them.`,
        ),
      ];
};

/** Kinds of problems that need an action of the operator. */
const SHOWN_KINDS: readonly ProblemKind[] = ['provider', 'clock', 'missing symbol'];
const SHOWN_OF_EACH = 3;

/** Checks the requests, failures and missing inputs of the newest finished run of a source with providers. */
export const checkProviderCalls: DatabaseCheck = async (transaction) => {
  const [run] = await transaction.query<{
    providers: ProviderCalls[];
    origins: InputOrigin[];
    problems: ProblemSummary[];
  }>(
    `select providers, origins, problems from collector.runs
     where status <> 'running' order by id desc limit 1`,
  );
  if (run === undefined || run.providers.length === 0) return [];
  return [
    fine(`Requests of the last run: ${words.nameCalls(run.providers)}.`),
    ...[...words.nameFailures(run.providers), ...words.nameMissing(run.origins)].map((text) =>
      note(`${text}.`),
    ),
    ...run.problems.filter(({ kind }) => SHOWN_KINDS.includes(kind)).flatMap(describeProblems),
  ];
};

function describeProblems({ count, first }: ProblemSummary): Finding[] {
  const shown = first.slice(0, SHOWN_OF_EACH);
  const more = count - shown.length;
  return shown.map((message, index) => {
    const isLast = more > 0 && index === shown.length - 1;
    return note(
      isLast ? `${message} (${words.writeNumber(more)} more like it: "runs list --json")` : message,
    );
  });
}

/** Maximum number of findings about faults of the ledger. */
const FAULTS_SHOWN = 5;

/** Checks that the publications match the hashes that were stored with them. */
export const checkPublications: DatabaseCheck = async (transaction) => {
  const damaged = await damagedPublications(transaction, null);
  if (damaged.length === 0) return [fine('The history of published rows matches its hashes.')];
  return [
    wrong(
      `The content of ${words.nameSome(damaged.map(({ id }) => `archive.publications ${id}`))} was changed after it was written. Compare the database with a backup.`,
    ),
  ];
};

/** Checks that each row of the record has its entry in the ledger, unchanged, and that each entry has its place and its row. */
export const checkLedger: DatabaseCheck = async (transaction, { now }) => {
  const { faults, size } = await auditLedger(transaction, now);
  if (faults.length === 0)
    return [fine(`The record matches its ledger (${words.writeCount(size, 'entry', 'entries')}).`)];
  const more = faults.length - FAULTS_SHOWN;
  return [
    ...faults.slice(0, FAULTS_SHOWN).map(wrong),
    ...(more > 0 ? [wrong(`The record differs from its ledger in ${more} more places.`)] : []),
  ];
};

const ANY_SIGNER = { certificates: null, witness: null };

/** Checks that the external anchors have the newest checkpoint, and that the ledger matches every checkpoint they have. */
export const checkAnchors: DatabaseCheck = async (transaction, { environment: { anchors } }) => {
  const states = await readAnchorStates(transaction);
  if (states.length === 0 && Object.values(anchors).every((setting) => setting === null)) {
    return [
      note(
        'LEDGER_GIT, LEDGER_TSA and LEDGER_WITNESS are not set: only weekly mails carry the checkpoint of the ledger to others.',
      ),
    ];
  }
  const tree = await readTree(transaction);
  const stored = tree === null ? [] : await readAnchors(transaction);
  const faults = stored.flatMap((anchor) => {
    try {
      if (tree !== null) verifyAnchor(anchor, tree, ANY_SIGNER);
      return [];
    } catch (error) {
      if (error instanceof LedgerError) return [wrong(error.message)];
      throw error;
    }
  });
  return [
    ...faults.slice(0, FAULTS_SHOWN),
    ...states.map(({ kind, status, attempts, reply, authority, anchoredAt }) => {
      const name = authority === null ? kind : `${kind} (${authority})`;
      const newest = anchoredAt === null ? 'never' : writeInstant(anchoredAt);
      if (status === 'sent')
        return fine(`Checkpoints of the ledger are anchored by ${name}, last ${newest}.`);
      if (attempts === 0 && status !== 'expired')
        return note(
          `The newest checkpoint of the ledger has not been sent to ${name} yet. A running server does it.`,
        );
      return wrong(
        `The newest checkpoint of the ledger did not reach ${name}, last ${newest}: ${reply ?? 'no attempt was possible.'} ${status === 'expired' ? 'The checkpoint of the next decision is sent again.' : 'A retry follows.'}`,
      );
    }),
  ];
};
