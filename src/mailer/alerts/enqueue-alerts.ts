import { type Database, epochMs } from '#database/port.ts';
import { addMessage, ENQUEUE_TIMEOUT_MS, enqueueMails } from '../deliver/messages.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { renderVerdictChange, type VerdictChange } from '../render/render-verdict-change.ts';
import { changeMessage } from './webhook-message.ts';

/** An older change is not sent, because the verdict may have changed again since. */
const LIFETIME = '24 hours';

/** Selects the changes that may be sent at `$1` and that have no mail yet, or no delivery to one of the webhooks `$2`. */
const NEW_CHANGES = `select id, session, ${epochMs('at')} as at, from_verdict as "from", to_verdict as "to", score, source,
    formula_version as "formulaVersion"
  from archive.verdict_changes as change
  where from_verdict is not null and at > $1::timestamptz - interval '${LIFETIME}' and at <= now() + interval '1 hour'
    and (not exists (select from mailer.messages where change_id = change.id and channel = 'mail')
      or exists (select from unnest($2::text[]) as wanted where not exists (
        select from mailer.deliveries join mailer.messages as message on message.id = message_id
        where change_id = change.id and target = wanted)))
  order by id`;

const ENQUEUE_CALLS = `insert into mailer.deliveries (channel, message_id, target, due_at, give_up_at)
  select 'webhook', id, wanted, $2::timestamptz, $2::timestamptz + interval '${LIFETIME}'
  from mailer.messages cross join unnest($3::text[]) as wanted where change_id = $1 and channel = 'webhook'
  on conflict do nothing`;

interface AlertOptions {
  readonly frame: MailFrame;
  /** The digests of the webhooks. */
  readonly webhooks: readonly string[];
  /** The current time (epoch ms). */
  readonly now: number;
}

/**
 * Adds the messages of each new change of the verdict, with a delivery for each webhook and for each active, confirmed
 * subscriber who opted in, in one transaction per change. If two processes do this at the same time, each delivery is
 * added once. Returns the number of added mails.
 */
export async function enqueueAlerts(
  database: Database,
  { frame, webhooks, now }: AlertOptions,
): Promise<number> {
  const at = new Date(now).toISOString();
  const digests = `{${webhooks.join(',')}}`;
  const changes = await database.transaction(
    (transaction) => transaction.query<VerdictChange & Record<string, unknown>>(NEW_CHANGES, [at, digests]),
    { readOnly: true },
  );
  let mails = 0;
  for (const change of changes) {
    const about = { changeId: change.id };
    mails += await database.transaction(
      async (transaction) => {
        if (webhooks.length > 0) {
          await addMessage(transaction, { channel: 'webhook', about, ...changeMessage(change, frame) });
          await transaction.query(ENQUEUE_CALLS, [change.id, at, digests]);
        }
        const name = `change ${change.session}`;
        const content = renderVerdictChange(change, frame);
        const messageId = await addMessage(transaction, { channel: 'mail', about, name, content });
        if (messageId === null) return 0;
        return enqueueMails(transaction, { messageId, at, within: LIFETIME, isAlert: true });
      },
      { durable: true, statementTimeoutMs: ENQUEUE_TIMEOUT_MS },
    );
  }
  return mails;
}
