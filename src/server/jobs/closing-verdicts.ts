import type { Transaction } from '#database/port.ts';
import { newestCloses, recordVerdictChange } from '#mailer/alerts/verdict-changes.ts';
import { decideSignalAt } from '#mailer/decide/decide-week.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import { readsUpTo } from '#queries/read-rows.ts';
import { sendInto } from '#queries/read-statement.ts';
import { marketClockAt } from '#views/market-hours-view.ts';

const MINUTE = 60_000;

/**
 * Records a change of the verdict, in the transaction that publishes, if `batches` (epoch ms) has one of the two newest
 * closes. The rows of a close count only if a weekly signal from them would be issued.
 */
export async function recordClosingVerdict(
  transaction: Transaction,
  batches: ReadonlySet<number>,
  { now, delay = 0 }: { now: number; delay?: number | undefined },
): Promise<void> {
  const [previous, newest] = newestCloses(now, delay);
  if (!batches.has(previous.close) && !batches.has(newest.close)) return;
  const decide = async ({ session, close }: typeof newest) => {
    const at = close + MINUTE;
    const send = readsUpTo(sendInto(transaction), close);
    const rows = await readDashboard(send, marketClockAt(at), false);
    const origins = await readOrigins(send, new Date(close).toISOString());
    return { session, decision: decideSignalAt({ rows, origins }, { now: at, at }) };
  };
  await recordVerdictChange(transaction, {
    previous: await decide(previous),
    newest: await decide(newest),
    now,
  });
}
