import { type Database, epochMs, readOnce, type Transaction } from '#database/port.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { newestPublishableSession, previousSession, sessionClose } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import { readsUpTo } from '#queries/read-rows.ts';
import { sendInto } from '#queries/read-statement.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { writeDay } from '#views/day.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { decideSignalAt } from '../decide/decide-week.ts';
import { addCalls, addMails, CALL_LIFETIME, ENQUEUE, lacksMessage } from '../deliver/enqueue.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { renderVerdictChange, type VerdictChange } from '../render/render-verdict-change.ts';
import { printable } from '../safe-text.ts';
import type { AlertMessage } from './webhook-message.ts';

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

/** The message to the webhooks. */
export function changeMessage(
  change: VerdictChange,
  { productName, publicUrl }: Pick<MailFrame, 'productName' | 'publicUrl'>,
): AlertMessage {
  const { id, session, at, from, to, score, source, formulaVersion } = change;
  const sentences = `the verdict changed from ${from} to ${to} (${score.toFixed(1)} of 100, close of ${writeDay(session)}). It describes the market and does not forecast it.`;
  return {
    name: `verdict-change-${id}-${session}`,
    content: {
      text: `${printable(productName)}: ${sentences} ${publicUrl}`,
      event: {
        type: 'verdict.changed',
        timestamp: new Date(at).toISOString(),
        data: { id, session, from, to, score, source, formula_version: formulaVersion, url: publicUrl },
      },
    },
  };
}

/** The changes of the last day without a mail, or without a delivery to one of the webhooks `$2`. An older one is not news. */
const NEW_CHANGES = `select id, session, ${epochMs('at')} as at, from_verdict as "from", to_verdict as "to", score, source,
    formula_version as "formulaVersion"
  from archive.verdict_changes as change
  where from_verdict is not null
    and at > $1::timestamptz - interval '${CALL_LIFETIME}' and at <= now() + interval '1 hour'
    and ${lacksMessage('change_id = change.id', 'mail')}
  order by id`;

interface AlertOptions {
  readonly frame: MailFrame;
  /** The digests of the webhooks. */
  readonly webhooks: readonly string[];
  /** The current time (epoch ms). */
  readonly now: number;
}

/**
 * Adds the messages of new changes, with a delivery for each webhook and for each confirmed subscriber who opted in,
 * once each. Returns the number of added mails.
 */
export async function enqueueAlerts(
  database: Database,
  { frame, webhooks, now }: AlertOptions,
): Promise<number> {
  const at = new Date(now).toISOString();
  const changes = await readOnce<VerdictChange>(database, NEW_CHANGES, [at, webhooks]);
  let mails = 0;
  for (const change of changes) {
    const about = { changeId: change.id };
    mails += await database.transaction(async (transaction) => {
      if (webhooks.length > 0) {
        const message = changeMessage(change, frame);
        await addCalls(transaction, 'webhook', { about, targets: webhooks, at, ...message });
      }
      const content = renderVerdictChange(change, frame);
      return addMails(transaction, { about, name: `change ${change.session}`, content, at });
    }, ENQUEUE);
  }
  return mails;
}
