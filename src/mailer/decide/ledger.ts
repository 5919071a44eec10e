import type { Database, Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/verdict.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import type { WeeklySignalView } from '#views/model.ts';
import { epochMs } from '../epoch-ms.ts';
import type { Decision } from './decision.ts';
import { parseStoredMail } from './stored-mail.ts';

/** A week of the ledger: its signal was issued or withheld. */
export interface Issue {
  readonly id: number;
  /** Its Monday, `YYYY-MM-DD`. */
  readonly week: string;
  readonly status: 'issued' | 'withheld';
  /** Why it was withheld, in one plain sentence; null if it was issued. */
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly decidedAt: number;
  readonly session: string | null;
  readonly verdict: Verdict | null;
  readonly score: number | null;
}

/** An issue with the frozen content of its mail; null if it was withheld. */
export interface IssuedSignal extends Issue {
  readonly mail: WeeklySignalView | null;
}

const COLUMNS = `id, week, status, reason, ${epochMs('decided_at')} as "decidedAt", session, verdict, score`;
/** A mail whose first try comes later than this after its issue expires. */
const BEGUN_WITHIN = '48 hours';

async function readWhere(
  transaction: Transaction,
  column: 'id' | 'week',
  value: number | string,
): Promise<IssuedSignal | null> {
  const [row] = await transaction.query<Issue & Record<string, unknown>>(
    `select ${COLUMNS}, mail from mailer.issued_signals where ${column} = $1`,
    [value],
  );
  if (row === undefined) return null;
  return { ...row, mail: row.mail === null ? null : parseStoredMail(row.mail, row.week) };
}

/** Inserts a decision. Returns its id, or null if the week has one already, which is never replaced. */
async function enter(transaction: Transaction, week: string, decision: Decision, decidedAt: string) {
  const issued = decision.status === 'issued' ? decision : null;
  const [row] = await transaction.query<{ id: number }>(
    `insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score,
       range_low, range_high, sp500_close, formula_version, weights, inputs, mail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::jsonb, $14::jsonb, $15::jsonb)
     on conflict (week) do nothing returning id`,
    [
      week,
      decision.status,
      decision.status === 'withheld' ? decision.reason : null,
      decidedAt,
      decision.session,
      decision.source,
      issued?.verdict ?? null,
      issued?.score ?? null,
      issued?.range?.low ?? null,
      issued?.range?.high ?? null,
      issued?.sp500Close ?? null,
      SIGNAL_FORMULA,
      JSON.stringify(SIGNAL_WEIGHTS),
      JSON.stringify(decision.inputs),
      issued === null ? null : JSON.stringify(issued.mail),
    ],
  );
  return row?.id ?? null;
}

/**
 * Enqueues one delivery to every active, confirmed subscriber. Locks their rows, so that one who is erased meanwhile is left
 * out and does not fail the others.
 */
async function enqueue(transaction: Transaction, issue: number, decidedAt: string): Promise<void> {
  await transaction.query(
    `insert into mailer.deliveries (issue_id, subscriber_id, due_at, give_up_at)
     select $1, id, $2::timestamptz, $2::timestamptz + interval '${BEGUN_WITHIN}'
     from public.email_subscribers where is_active and confirmed_at is not null order by id for key share`,
    [issue, decidedAt],
  );
}

/** Time limit (ms): inserting a row per subscriber may take long. */
const LONGEST = 3_600_000;

/**
 * Records the week's decision and, if it is issued, enqueues one delivery per subscriber, in one transaction. Returns the
 * week's issue, `isNew` if this call recorded it. Rejects, and records nothing, if its mail cannot be read back. `now` in
 * epoch milliseconds.
 */
export function recordDecision(
  database: Database,
  { week, decision, now }: { week: string; decision: Decision; now: number },
): Promise<IssuedSignal & { isNew: boolean }> {
  const decidedAt = new Date(now).toISOString();
  return database.transaction(
    async (transaction) => {
      const id = await enter(transaction, week, decision, decidedAt);
      if (id !== null && decision.status === 'issued') await enqueue(transaction, id, decidedAt);
      const issue = await readWhere(transaction, 'week', week);
      if (issue === null) throw new Error(`The signal of the week of ${week} was not kept.`);
      return { ...issue, isNew: id !== null };
    },
    { durable: true, statementTimeoutMs: LONGEST },
  );
}

/** The issue with an id, or null. Rejects if its mail cannot be read. */
export function readIssue(database: Database, id: number): Promise<IssuedSignal | null> {
  return database.transaction((transaction) => readWhere(transaction, 'id', id), { readOnly: true });
}

/**
 * The newest issues, newest first, without their mails. `until` leaves out later weeks, which a wrong clock may have
 * recorded.
 */
export async function newestIssues(
  transaction: Transaction,
  count: number,
  until: string | null = null,
): Promise<Issue[]> {
  return transaction.query<Issue & Record<string, unknown>>(
    `select ${COLUMNS} from mailer.issued_signals where $2::date is null or week <= $2::date
     order by week desc limit $1`,
    [count, until],
  );
}
