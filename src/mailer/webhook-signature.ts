import { createHmac } from 'node:crypto';

/** The signature of Standard Webhooks 1.0: 'v1,' and the HMAC-SHA256 of id, timestamp (s) and body in base64. */
export function signatureOf(
  key: Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: string; body: string },
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
