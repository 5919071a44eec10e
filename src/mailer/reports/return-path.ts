import { timingSafeEqual } from 'node:crypto';
import { sign } from '../subscribers/token.ts';

/**
 * Maximum length of the name before the "@" in MAIL_BOUNCE_ADDRESS. With the longest token, the name still fits 64
 * characters (RFC 5321).
 */
export const LONGEST_BOUNCE_NAME = 25;
const SIGNATURE_BYTES = 12;
/** Radix in which the id of a delivery is written. A bigint then has at most 13 digits. */
const RADIX = 36;

const signatureOf = (key: Uint8Array, deliveryId: number): Buffer =>
  sign(key, `return path:${deliveryId}`).subarray(0, SIGNATURE_BYTES);

/**
 * Returns the envelope sender of a delivery: `bounceAddress` with a token, such as bounces+1z-<signature>@example.org.
 * Mail servers send bounces to this address. The token is in lower case, because some servers change the case of an
 * address.
 */
export function makeReturnPath(key: Uint8Array, bounceAddress: string, deliveryId: number): string {
  const at = bounceAddress.lastIndexOf('@');
  const token = `${deliveryId.toString(RADIX)}-${signatureOf(key, deliveryId).toString('hex')}`;
  return `${bounceAddress.slice(0, at)}+${token}${bounceAddress.slice(at)}`;
}

/**
 * Matches the token in an address, even if a forwarder has wrapped the address (BATV, SRS) or replaced its "@" by "=".
 */
const TOKEN = /\+([0-9a-z]{1,13})-([0-9a-f]{24})[@=]/gi;
/** Maximum number of tokens in one text that are verified. */
const MOST_TOKENS = 50;

/**
 * Returns the id of the delivery in the first valid token of a text; null if there is no valid token. Compares
 * signatures in constant time.
 */
export function findDelivery(key: Uint8Array, text: string): number | null {
  for (const [, digits = '', signature = ''] of [...text.matchAll(TOKEN)].slice(0, MOST_TOKENS)) {
    const id = Number.parseInt(digits, RADIX);
    if (!Number.isSafeInteger(id)) continue;
    if (timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(key, id))) return id;
  }
  return null;
}
