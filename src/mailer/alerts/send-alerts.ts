import { type Database, epochMs, readOnce } from '#database/port.ts';
import { addCalls, addMails, CALL_LIFETIME, ENQUEUE, lacksMessage } from '../deliver/enqueue.ts';
import type { Sender } from '../deliver/send-due.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { renderVerdictChange, type VerdictChange } from '../render/render-verdict-change.ts';
import { isAccepted, type PostWebhook } from './post-webhook.ts';
import {
  type AlertMessage,
  changeMessage,
  digestOf,
  nameOfWebhook,
  type WebhookSettings,
  webhookRequest,
} from './webhook-message.ts';

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

interface WebhookSenderOptions {
  readonly now: () => number;
  readonly settings: WebhookSettings;
  readonly post: PostWebhook;
  /** Cancels the requests when it aborts. */
  readonly signal: AbortSignal;
}

/** Maximum number of simultaneous requests. It is large, so that a webhook that hangs does not delay another. */
const CONNECTIONS = 100;

/** Creates the sender of the calls of one run. Each attempt of a call has the same id. */
export function createWebhookSender({ settings, post, now, signal }: WebhookSenderOptions): Sender {
  const { webhooks, signingKey, allowsPrivate } = settings;
  const names = new Map(webhooks.map((webhook, place) => [webhook, nameOfWebhook(webhook, place)]));
  const targets = new Map(webhooks.map((webhook) => [digestOf(webhook), webhook]));

  return {
    channel: 'webhook',
    targets: [...targets.keys()],
    connections: CONNECTIONS,
    async send({ recipient }, message) {
      const webhook = targets.get(recipient);
      if (webhook === undefined) throw new Error('The webhook is not configured.');
      const request = webhookRequest(webhook, message as AlertMessage, { signingKey, now: now() });
      const result = await post(request, { allowsPrivate, signal });
      if (isAccepted(result)) return { result: 'sent' };
      if (signal.aborted && result.status === null) {
        return { result: 'unavailable', reason: 'The process ended.' };
      }
      const reply = result.status === null ? null : String(result.status);
      const reason = result.failure ?? `it responded with status ${reply}`;
      return { result: 'later', reply, reason: `The call of ${names.get(webhook)} failed: ${reason}.` };
    },
  };
}
