import { createHash } from 'node:crypto';

export const WEBHOOK_KINDS = ['generic', 'slack', 'discord', 'ntfy', 'telegram'] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** A webhook that the operator has configured. */
export interface Webhook {
  readonly kind: WebhookKind;
  /** The URL is a secret, because it may contain a token. It is never logged or stored. */
  readonly url: string;
}

/** Settings of the webhooks. */
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

/**
 * Returns the name of a webhook in messages: its position in ALERT_WEBHOOKS and its kind, such as 'webhook 2 (slack)'.
 */
export const nameOfWebhook = ({ kind }: Webhook, place: number): string => `webhook ${place + 1} (${kind})`;
