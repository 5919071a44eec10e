import { type Database, DURABLE, epochMs, type Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import { appendEntries } from '#record/ledger/append-entries.ts';
import { addMails, ENQUEUE } from '../deliver/enqueue.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import type { Decision, WeekDecision } from './decide-week.ts';

/** The decision of a week: its signal was issued or withheld. */
export interface Issue {
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

const COLUMNS = `week, status, reason, ${epochMs('decided_at')} as "decidedAt", session, verdict, score`;

/** The decision of a week, and the time at which it was made (epoch ms). */
export interface DatedDecision {
  readonly week: string;
  readonly decision: Decision;
  readonly at: number;
}

function toRow({ week, decision, at }: DatedDecision) {
  const { status, session, source, inputs } = decision;
  const row = { week, status, decided_at: new Date(at).toISOString(), session, source, inputs };
  // A missing column is null.
  if (decision.status === 'withheld') return { ...row, reason: decision.reason };
  const { verdict, score, range, sp500Close } = decision;
  return { ...row, verdict, score, range_low: range?.low, range_high: range?.high, sp500_close: sp500Close };
}

/** Inserts decisions of weeks without one. 'rebuilt' is computed after its week. Returns the new ids. */
async function insertDecisions(
  transaction: Transaction,
  decisions: readonly DatedDecision[],
  origin: 'live' | 'rebuilt',
): Promise<number[]> {
  const rows = await transaction.query<{ id: number }>(
    `insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score,
       range_low, range_high, sp500_close, formula_version, weights, inputs, origin)
     select week, status, reason, decided_at, session, source, verdict, score, range_low, range_high, sp500_close,
       $2, $3::jsonb, inputs, $4
     from json_populate_recordset(null::mailer.issued_signals, $1::json) order by week
     on conflict (week) do nothing returning id`,
    [JSON.stringify(decisions.map(toRow)), SIGNAL_FORMULA, JSON.stringify(SIGNAL_WEIGHTS), origin],
  );
  return rows.map(({ id }) => id);
}

/** Records past weeks of the simulated market as rebuilt, without mails, unless one is recorded. */
export async function recordPastDecisions(
  database: Database,
  decisions: readonly DatedDecision[],
): Promise<void> {
  const last = decisions.at(-1);
  if (last === undefined) return;
  await database.transaction(async (transaction) => {
    if (await hasDecisionUpTo(transaction, last.week)) return;
    await insertDecisions(transaction, decisions, 'rebuilt');
    await appendEntries(transaction);
  }, DURABLE);
}

/** True if this week or an earlier week has a decision. */
export async function hasDecisionUpTo(transaction: Transaction, week: string): Promise<boolean> {
  const rows = await transaction.query('select from mailer.issued_signals where week <= $1 limit 1', [week]);
  return rows.length > 0;
}

/** Records a week's decision and the deliveries of its mail. `isNew` is true if this call recorded it. */
export function recordDecision(
  database: Database,
  { week, decision, frame, now }: { week: string; decision: WeekDecision; frame: MailFrame; now: number },
): Promise<{ issue: Issue; isNew: boolean }> {
  return database.transaction(async (transaction) => {
    const [id] = await insertDecisions(transaction, [{ week, decision, at: now }], 'live');
    if (id !== undefined && decision.status === 'issued') {
      const content = renderWeeklySignal(decision.mail, frame);
      const at = new Date(now).toISOString();
      await addMails(transaction, { about: { issueId: id }, name: week, content, at });
    }
    // Comes last, because other writers of the ledger wait from here to the commit.
    if (id !== undefined) await appendEntries(transaction);
    const [issue] = await transaction.query<Issue>(
      `select ${COLUMNS} from mailer.issued_signals where week = $1`,
      [week],
    );
    if (issue === undefined) throw new Error(`The signal of the week of ${week} was not recorded.`);
    return { issue, isNew: id !== undefined };
  }, ENQUEUE);
}

/** The newest issues, newest first. Weeks after `until` may come from a process with a wrong clock. */
export async function newestIssues(
  transaction: Transaction,
  count: number,
  until: string | null = null,
): Promise<Issue[]> {
  return transaction.query<Issue>(
    `select ${COLUMNS} from mailer.issued_signals where $2::date is null or week <= $2::date
     order by week desc limit $1`,
    [count, until],
  );
}
