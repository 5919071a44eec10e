import type { Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { newestPublishableSession, previousSession, sessionClose } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import { readsUpTo } from '#queries/read-rows.ts';
import { sendInto } from '#queries/read-statement.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { decideSignalAt } from '../decide/decide-week.ts';

const MINUTE = 60_000;

/** The signal that the rows of a close would issue; null if they issue none or are a demonstration's. */
async function signalOf(transaction: Transaction, session: string) {
  const close = sessionClose(session);
  const at = close + MINUTE;
  const send = readsUpTo(sendInto(transaction), close);
  const rows = await readDashboard(send, marketClockAt(at), false);
  const origins = await readOrigins(send, new Date(close).toISOString());
  const decision = decideSignalAt({ rows, origins }, { now: at, at });
  const { source } = decision;
  return decision.status === 'issued' && source !== null && !isDemonstration(source) ? decision : null;
}

/**
 * Records, once, a change of the verdict that both newest closes have, if `batches` (epoch ms) has one of them. `now` is
 * epoch ms, `delay` is in sessions.
 */
export async function recordVerdictChange(
  transaction: Transaction,
  batches: ReadonlySet<number>,
  { now, delay = 0 }: { now: number; delay?: number | undefined },
): Promise<void> {
  const session = newestPublishableSession(now, delay);
  const before = previousSession(session);
  if (![before, session].some((one) => batches.has(sessionClose(one)))) return;
  const signal = await signalOf(transaction, session);
  if (signal === null || (await signalOf(transaction, before))?.verdict !== signal.verdict) return;
  const [last] = await transaction.query<{ id: number; verdict: Verdict }>(
    'select id, to_verdict as verdict from archive.verdict_changes order by id desc limit 1',
  );
  if (last?.verdict === signal.verdict) return;
  await transaction.query(
    `insert into archive.verdict_changes
       (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      ...[session, new Date(now).toISOString(), last?.verdict ?? null, signal.verdict],
      ...[signal.score, signal.source, SIGNAL_FORMULA, last?.id ?? null],
    ],
  );
}
