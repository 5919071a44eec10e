import type { Database, Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import type { WeeklySignalView } from '#views/model.ts';
import { epochMs } from '../epoch-ms.ts';
import type { MailFrame, RenderedMail } from '../render/mail-page.ts';
import { renderForAll } from '../render/render-weekly-signal.ts';
import type { Decision } from './decision.ts';

/** The decision of a week: its signal was issued or withheld. */
export interface Issue {
  readonly id: number;
  /** The Monday of the week, as `YYYY-MM-DD`. */
  readonly week: string;
  readonly status: 'issued' | 'withheld';
  /** The reason why the signal was withheld, in one plain sentence; null if it was issued. */
  readonly reason: string | null;
  /** Time of the decision (epoch milliseconds). */
  readonly decidedAt: number;
  readonly session: string | null;
  readonly verdict: Verdict | null;
  readonly score: number | null;
}

/**
 * The mail of an issue, before the parts that differ by subscriber are added. Version 1.0 stored the view from which
 * the mail is rendered.
 */
export interface StoredMail {
  readonly week: string;
  readonly mail: RenderedMail | WeeklySignalView;
}

const COLUMNS = `id, week, status, reason, ${epochMs('decided_at')} as "decidedAt", session, verdict, score`;
/** The first attempt of a delivery must start within this time. */
const FIRST_TRY_WITHIN = '48 hours';

/** The decision of a week, and the time at which it was made (epoch ms). */
export interface DatedDecision {
  readonly week: string;
  readonly decision: Decision;
  readonly at: number;
}

function toRow({ week, decision, at }: DatedDecision, frame: MailFrame) {
  const issued = decision.status === 'issued' ? decision : null;
  return {
    week,
    status: decision.status,
    reason: decision.status === 'withheld' ? decision.reason : null,
    decided_at: new Date(at).toISOString(),
    session: decision.session,
    source: decision.source,
    verdict: issued?.verdict ?? null,
    score: issued?.score ?? null,
    range_low: issued?.range?.low ?? null,
    range_high: issued?.range?.high ?? null,
    sp500_close: issued?.sp500Close ?? null,
    inputs: decision.inputs,
    mail: issued === null ? null : renderForAll(issued.mail, frame),
  };
}

const TYPES = `week date, status text, reason text, decided_at timestamptz, session date, source text, verdict text,
  score double precision, range_low double precision, range_high double precision, sp500_close double precision,
  inputs jsonb, mail jsonb`;

/**
 * Inserts decisions. `origin` is 'rebuilt' for decisions that are computed after their week. Does not change a week that
 * already has a decision. Returns the ids of the new decisions.
 */
async function insertDecisions(
  transaction: Transaction,
  decisions: readonly DatedDecision[],
  { frame, origin }: { frame: MailFrame; origin: 'live' | 'rebuilt' },
): Promise<number[]> {
  const rows = await transaction.query<{ id: number }>(
    `insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score,
       range_low, range_high, sp500_close, formula_version, weights, inputs, mail, origin)
     select week, status, reason, decided_at, session, source, verdict, score, range_low, range_high, sp500_close,
       $2, $3::jsonb, inputs, mail, $4
     from json_to_recordset($1::json) as decision (${TYPES}) order by week
     on conflict (week) do nothing returning id`,
    [
      JSON.stringify(decisions.map((dated) => toRow(dated, frame))),
      SIGNAL_FORMULA,
      JSON.stringify(SIGNAL_WEIGHTS),
      origin,
    ],
  );
  return rows.map(({ id }) => id);
}

/**
 * Records decisions of past weeks of the simulated market, in ascending order, as rebuilt and without deliveries. Records nothing if one of these weeks or an
 * earlier week already has a decision. Returns the number of recorded decisions.
 */
export function recordPastDecisions(
  database: Database,
  decisions: readonly DatedDecision[],
  frame: MailFrame,
): Promise<number> {
  const last = decisions.at(-1);
  if (last === undefined) return Promise.resolve(0);
  return database.transaction(
    async (transaction) => {
      if (await hasIssueUntil(transaction, last.week)) return 0;
      const ids = await insertDecisions(transaction, decisions, { frame, origin: 'rebuilt' });
      await appendEntries(transaction);
      return ids.length;
    },
    { durable: true },
  );
}

/** True if this week or an earlier week has a decision. */
export async function hasIssueUntil(transaction: Transaction, week: string): Promise<boolean> {
  const rows = await transaction.query('select from mailer.issued_signals where week <= $1 limit 1', [week]);
  return rows.length > 0;
}

/**
 * Enqueues one delivery for each active, confirmed subscriber. Locks the subscribers. Otherwise another transaction
 * could delete one, which would violate the foreign key.
 */
async function enqueue(transaction: Transaction, issue: number, decidedAt: string): Promise<void> {
  await transaction.query(
    `insert into mailer.deliveries (issue_id, subscriber_id, due_at, give_up_at)
     select $1, id, $2::timestamptz, $2::timestamptz + interval '${FIRST_TRY_WITHIN}'
     from public.email_subscribers where is_active and confirmed_at is not null order by id for key share`,
    [issue, decidedAt],
  );
}

/** Time limit of the transaction (ms), which inserts one row per subscriber. */
const ENQUEUE_TIMEOUT_MS = 3_600_000;

/**
 * Records the decision of a week. If the signal is issued, also stores its rendered mail and enqueues one delivery per
 * subscriber, in the same transaction. Returns the week's issue. `isNew` is true if this call recorded it. `now` is
 * epoch milliseconds.
 */
export function recordDecision(
  database: Database,
  { week, decision, frame, now }: { week: string; decision: Decision; frame: MailFrame; now: number },
): Promise<Issue & { isNew: boolean }> {
  const decidedAt = new Date(now).toISOString();
  return database.transaction(
    async (transaction) => {
      const [id] = await insertDecisions(transaction, [{ week, decision, at: now }], {
        frame,
        origin: 'live',
      });
      if (id !== undefined && decision.status === 'issued') await enqueue(transaction, id, decidedAt);
      // Comes last, because other writers of the ledger wait from here to the commit.
      if (id !== undefined) await appendEntries(transaction);
      const [issue] = await transaction.query<Issue & Record<string, unknown>>(
        `select ${COLUMNS} from mailer.issued_signals where week = $1`,
        [week],
      );
      if (issue === undefined) throw new Error(`The signal of the week of ${week} was not recorded.`);
      return { ...issue, isNew: id !== undefined };
    },
    { durable: true, statementTimeoutMs: ENQUEUE_TIMEOUT_MS },
  );
}

/** Reads the mail of an issue. Rejects if the issue has no mail. */
export async function readStoredMail(database: Database, issueId: number): Promise<StoredMail> {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<StoredMail & Record<string, unknown>>(
        'select week, mail from mailer.issued_signals where id = $1 and mail is not null',
        [issueId],
      ),
    { readOnly: true },
  );
  if (row === undefined) throw new Error(`Issue ${issueId} has no mail in mailer.issued_signals.`);
  return row;
}

/**
 * Reads the newest issues, newest first. Leaves out weeks after `until`, which a process with a wrong clock may have
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
