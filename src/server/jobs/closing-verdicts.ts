import type { Transaction } from '#database/port.ts';
import { newestCloses, recordVerdictChange } from '#mailer/alerts/verdict-changes.ts';
import { decideSignalOfWeek } from '#mailer/decide/decision.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import { type InputOriginRow, parseInputOrigin } from '#schema/input-origins.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import { readPastMarket } from './past-market.ts';

const MINUTE = 60_000;
/** Time range (ms) of the Fear & Greed rows that a verdict may use. */
const FEAR_GREED_SPAN = 30 * 24 * 60 * MINUTE;

async function readOriginsOf(transaction: Transaction, close: number): Promise<InputOriginRow[]> {
  const rows = await transaction.query<{ row: unknown }>(
    'select to_jsonb(origin) as row from public.input_origins as origin where created_at = $1',
    [new Date(close).toISOString()],
  );
  return rows.map(({ row }) => parseInputOrigin(row)).filter((row) => row !== null);
}

/**
 * Records a change of the verdict, in the transaction that publishes the rows. Does nothing unless `batches` (epoch ms)
 * contains one of the two newest closes. The rows of a close count only if a weekly signal from them would be issued.
 * `now` is epoch ms.
 */
export async function recordClosingVerdict(
  transaction: Transaction,
  batches: ReadonlySet<number>,
  now: number,
): Promise<void> {
  const [previous, newest] = newestCloses(now);
  const closes = [previous.close, newest.close];
  if (!closes.some((close) => batches.has(close))) return;
  const market = await readPastMarket(transaction, closes, previous.close - FEAR_GREED_SPAN);
  const decide = async ({ session, close }: typeof newest) => {
    const at = close + MINUTE;
    const rows = await readDashboard(market(close), marketClockAt(at), { history: false });
    const origins = await readOriginsOf(transaction, close);
    return { session, decision: decideSignalOfWeek({ rows, origins }, { now: at, at }) };
  };
  await recordVerdictChange(transaction, {
    previous: await decide(previous),
    newest: await decide(newest),
    now,
  });
}
