import { timingSafeEqual } from 'node:crypto';
import { referenceOf, referenceToBytes, sign } from '../subscribers/token.ts';

/**
 * Maximum length of the name before the "@" in MAIL_BOUNCE_ADDRESS. With the token, the name still fits 64 characters
 * (RFC 5321).
 */
export const LONGEST_BOUNCE_NAME = 25;
const REFERENCE_BYTES = 16;
const SIGNATURE_BYTES = 8;
/** Digits of 16 and of 8 bytes in base 36. Base 36 is lower case only, because some servers change the case of an address. */
const REFERENCE_DIGITS = 25;
const SIGNATURE_DIGITS = 13;

const toDigits = (bytes: Buffer, length: number): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0');

/** Returns the bytes of a number in base 36; null if the number is too large. */
function toBytes(digits: string, length: number): Buffer | null {
  let value = 0n;
  for (const digit of digits) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = value.toString(16).padStart(2 * length, '0');
  return hex.length > 2 * length ? null : Buffer.from(hex, 'hex');
}

const signatureOf = (key: Uint8Array, reference: string): Buffer =>
  sign(key, `return path:${reference}`).subarray(0, SIGNATURE_BYTES);

/**
 * Returns the envelope sender of the mails to a subscriber: `bounceAddress` with a token, such as
 * bounces+<38 characters>@example.org. Mail servers send bounces to this address. The token has the subscriber's random
 * reference, not a number, because numbers are used again after an older export is restored.
 */
export function makeReturnPath(key: Uint8Array, bounceAddress: string, reference: string): string {
  const at = bounceAddress.lastIndexOf('@');
  const name = toDigits(referenceToBytes(reference), REFERENCE_DIGITS);
  const signature = toDigits(signatureOf(key, reference), SIGNATURE_DIGITS);
  return `${bounceAddress.slice(0, at)}+${name}${signature}${bounceAddress.slice(at)}`;
}

/**
 * Matches the token in an address, even if a forwarder has wrapped the address (BATV, SRS) or replaced its "@" by "=".
 */
const TOKEN = /\+([0-9a-z]{25})([0-9a-z]{13})[@=]/gi;
/** Maximum number of tokens in one text that are verified. */
const MOST_TOKENS = 50;

/**
 * Returns the reference of the subscriber in the first valid token of a text; null if there is no valid token. Compares
 * signatures in constant time.
 */
export function findReference(key: Uint8Array, text: string): string | null {
  for (const [, name = '', digits = ''] of [...text.matchAll(TOKEN)].slice(0, MOST_TOKENS)) {
    const bytes = toBytes(name, REFERENCE_BYTES);
    const signature = toBytes(digits, SIGNATURE_BYTES);
    if (bytes === null || signature === null) continue;
    const reference = referenceOf(bytes);
    if (timingSafeEqual(signature, signatureOf(key, reference))) return reference;
  }
  return null;
}
