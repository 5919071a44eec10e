import { createHash, createHmac } from 'node:crypto';
import type { Message } from '../deliver/deliveries.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { printable } from '../safe-text.ts';

export const WEBHOOK_KINDS = ['generic', 'slack', 'discord', 'ntfy', 'telegram'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

export interface Webhook {
  readonly kind: WebhookKind;
  /** The URL is a secret, because it may contain a token. It is never logged or stored. */
  readonly url: string;
}

export interface WebhookSettings {
  readonly webhooks: readonly Webhook[];
  /** The key that signs generic webhooks; null if there are none. */
  readonly signingKey: Uint8Array | null;
  /** True if a webhook may be at a private address. */
  readonly allowsPrivate: boolean;
}

/** Returns a digest that identifies a webhook in the database, so that its URL is not stored. */
export const digestOf = ({ kind, url }: Webhook): string =>
  createHash('sha256').update(`${kind} ${url}`).digest('hex').slice(0, 32);

/** The name of a webhook: its position in ALERT_WEBHOOKS and its kind, such as 'webhook 2 (slack)'. */
export const nameOfWebhook = ({ kind }: Webhook, place: number): string => `webhook ${place + 1} (${kind})`;

export interface AlertContent {
  readonly text: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: object };
}

/** A message with its id. Each attempt to send the message has the same id. */
export type AlertMessage = Message<AlertContent>;

/** Creates the message that `alerts test` sends. `now` is epoch milliseconds. */
export function testMessage(
  { productName, publicUrl }: Pick<MailFrame, 'productName' | 'publicUrl'>,
  now: number,
): AlertMessage {
  const timestamp = new Date(now).toISOString();
  return {
    name: `test-${now}`,
    content: {
      text: `${printable(productName)}: this is a test of the alerts. The verdict has not changed. ${publicUrl}`,
      event: { type: 'test', timestamp, data: { url: publicUrl } },
    },
  };
}

export interface WebhookRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const asJson = (value: object) => ({ headers: JSON_TYPE, body: JSON.stringify(value) });

type Format = (content: AlertContent, url: URL) => Pick<WebhookRequest, 'headers' | 'body'>;

const FORMATS: Readonly<Record<WebhookKind, Format>> = {
  generic: ({ event }) => asJson(event),
  slack: ({ text }) => asJson({ text: escapeSlack(text) }),
  discord: ({ text }) => asJson({ content: text, allowed_mentions: { parse: [] } }),
  ntfy: ({ text }) => ({ headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: text }),
  telegram: ({ text }, url) => asJson({ chat_id: url.searchParams.get('chat_id'), text }),
};

/** The signature of Standard Webhooks 1.0: 'v1,' and the HMAC-SHA256 of id, timestamp (s) and body in base64. */
export function signatureOf(
  key: Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** A message's request at `now`, with the headers of Standard Webhooks; a generic webhook's is signed too. */
export function webhookRequest(
  { kind, url }: Webhook,
  { name: id, content }: AlertMessage,
  { signingKey, now }: { signingKey: Uint8Array | null; now: number },
): WebhookRequest {
  const target = new URL(url);
  const { headers, body } = FORMATS[kind](content, target);
  if (kind === 'telegram') target.search = '';
  const timestamp = String(Math.floor(now / 1000));
  const isSigned = kind === 'generic' && signingKey !== null;
  return {
    url: target,
    headers: {
      ...headers,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(isSigned && { 'webhook-signature': signatureOf(signingKey, { id, timestamp, body }) }),
    },
    body,
  };
}
