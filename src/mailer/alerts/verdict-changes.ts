import type { Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { newestPublishableSession, previousSession, sessionClose } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { stableVerdict } from '#domain/signal/stable-verdict.ts';
import { isDemonstration } from '#schema/market-source.ts';
import type { Decision } from '../decide/decide-week.ts';

/** The decision that would follow from the rows of a session's close. */
export interface ClosingDecision {
  /** The session as `YYYY-MM-DD`. */
  readonly session: string;
  readonly decision: Decision;
}

/**
 * Returns the two newest closes at `now` that are published `delay` sessions later, the older one first. All times are epoch
 * milliseconds.
 */
export function newestCloses(now: number, delay: number) {
  const newest = newestPublishableSession(now, delay);
  const closeOf = (session: string) => ({ session, close: sessionClose(session) });
  return [closeOf(previousSession(newest)), closeOf(newest)] as const;
}

/** Returns the decision if it is an issued signal and not based on demonstration data; null otherwise. */
function usable({ decision }: ClosingDecision) {
  const { source } = decision;
  return decision.status === 'issued' && source !== null && !isDemonstration(source) ? decision : null;
}

/**
 * Records a change of the verdict if both of the two newest closes have the new verdict. The first recorded verdict has
 * no earlier verdict. If two processes do this at the same time, one change is recorded. `now` is epoch milliseconds.
 */
export async function recordVerdictChange(
  transaction: Transaction,
  { previous, newest, now }: { previous: ClosingDecision; newest: ClosingDecision; now: number },
): Promise<void> {
  const decision = usable(newest);
  if (decision === null) return;
  const verdict = stableVerdict(
    { session: previous.session, verdict: usable(previous)?.verdict ?? null },
    { session: newest.session, verdict: decision.verdict },
  );
  if (verdict === null) return;
  const [last] = await transaction.query<{ id: number; verdict: Verdict }>(
    'select id, to_verdict as verdict from archive.verdict_changes order by id desc limit 1',
  );
  if (last?.verdict === verdict) return;
  await transaction.query(
    `insert into archive.verdict_changes
       (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      ...[newest.session, new Date(now).toISOString(), last?.verdict ?? null, verdict],
      ...[decision.score, decision.source, SIGNAL_FORMULA, last?.id ?? null],
    ],
  );
}
