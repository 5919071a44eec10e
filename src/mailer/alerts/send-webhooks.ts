import { createMessageReader } from '../deliver/messages.ts';
import type { Sender } from '../deliver/send-due.ts';
import type { MailSenderOptions } from '../deliver/send-mails.ts';
import { isAccepted, type PostWebhook } from './post-webhook.ts';
import {
  type AlertContent,
  digestOf,
  nameOfWebhook,
  type WebhookSettings,
  webhookRequest,
} from './webhook-message.ts';

interface WebhookSenderOptions extends Pick<MailSenderOptions, 'database' | 'now'> {
  readonly settings: WebhookSettings;
  readonly post: PostWebhook;
  /** Cancels the requests when it aborts. */
  readonly signal: AbortSignal;
}

/** Maximum number of simultaneous requests. It is large, so that a webhook that hangs does not delay another. */
const CONNECTIONS = 100;

/** Creates the sender of the calls of one run. Each attempt of a call has the same id. */
export function createWebhookSender({ database, settings, post, now, signal }: WebhookSenderOptions): Sender {
  const { webhooks, signingKey, allowsPrivate } = settings;
  const names = new Map(webhooks.map((webhook, place) => [webhook, nameOfWebhook(webhook, place)]));
  const targets = new Map(webhooks.map((webhook) => [digestOf(webhook), webhook]));
  const readMessage = createMessageReader<AlertContent>(database);

  return {
    channel: 'webhook',
    targets: [...targets.keys()],
    connections: CONNECTIONS,
    refusal: async () => null,
    async send({ recipient, messageId }) {
      const webhook = targets.get(recipient);
      if (webhook === undefined || messageId === null) throw new Error('The webhook is not configured.');
      const message = await readMessage(messageId);
      const request = webhookRequest(webhook, message, { signingKey, now: now() });
      const result = await post(request, { allowsPrivate, signal });
      if (isAccepted(result)) return { result: 'sent' };
      if (signal.aborted && result.status === null) {
        return { result: 'unavailable', reply: null, reason: 'The process ended.' };
      }
      const reply = result.status === null ? null : String(result.status);
      const reason = result.failure ?? `it responded with status ${reply}`;
      return { result: 'later', reply, reason: `The call of ${names.get(webhook)} failed: ${reason}.` };
    },
  };
}
