import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { type Database, queryOnce, readOnce } from '#database/port.ts';

const KEY_BYTES = 32;

/** Reads the key that signs links, which is the same in all processes. Rejects if mailer.settings has no key. */
export async function readSigningKey(database: Database): Promise<Uint8Array> {
  const [row] = await readOnce<{ key: string }>(
    database,
    "select array_to_string(signing_key, '') as key from mailer.settings",
  );
  const key = Buffer.from((row?.key ?? '').replaceAll('-', ''), 'hex');
  if (key.length < KEY_BYTES) {
    throw new Error(
      'mailer.settings has no key to sign links. Insert its row with: insert into mailer.settings default values.',
    );
  }
  return key;
}

/** Replaces the key that signs links. The links of all earlier mails become invalid. */
export async function replaceSigningKey(database: Database): Promise<void> {
  await queryOnce(database, 'update mailer.settings set signing_key = default');
}

/** The action of a link, the only one for which its token is valid. 'alerts' turns mails of new verdicts on or off. */
export type TokenPurpose = 'unsubscribe' | 'confirm' | 'alerts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const REFERENCE_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** Matches a token. It is 32 bytes in base64url: the reference and its signature. */
const TOKEN = /^[\w-]{43}$/;

/** Returns the first 16 bytes of an HMAC-SHA256. `text` must begin with a prefix that no other purpose uses. */
function sign(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
}

function referenceToBytes(reference: string): Buffer {
  if (!UUID.test(reference)) throw new Error('The reference of a subscriber must be a UUID.');
  return Buffer.from(reference.replaceAll('-', ''), 'hex');
}

/** Returns the reference with these 16 bytes, as a UUID. */
function referenceOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the token of a subscriber's link, which is 43 characters of base64url. */
export function makeToken(key: Uint8Array, purpose: TokenPurpose, reference: string): string {
  const signature = sign(key, `${purpose}:${reference}`);
  return Buffer.concat([referenceToBytes(reference), signature]).toString('base64url');
}

/** The reference in a token; null if this key and purpose did not make it. Compares in constant time. */
export function readToken(key: Uint8Array, purpose: TokenPurpose, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  // The last character has only four bits of data, so four different characters decode to the same bytes. Only one of
  // them is accepted.
  if (bytes.toString('base64url') !== token) return null;
  const reference = referenceOf(bytes.subarray(0, REFERENCE_BYTES));
  const signature = bytes.subarray(REFERENCE_BYTES);
  return timingSafeEqual(signature, sign(key, `${purpose}:${reference}`)) ? reference : null;
}

/** A Message-ID: the same at each attempt, without an address. `issue` names the message, such as its week. */
export function messageIdOf(
  key: Uint8Array,
  { issue, reference, domain }: { issue: string; reference: string; domain: string },
): string {
  const name = sign(key, `message:${issue}:${reference}`).toString('hex');
  return `<${name}@${domainToASCII(domain) || 'localhost'}>`;
}

/** The longest name before the "@" of MAIL_BOUNCE_ADDRESS; with the token it fits 64 characters (RFC 5321). */
export const LONGEST_BOUNCE_NAME = 25;
const SHORT_SIGNATURE_BYTES = 8;
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
  sign(key, `return path:${reference}`).subarray(0, SHORT_SIGNATURE_BYTES);

/**
 * The envelope sender for bounces: bounces+<38 characters>@example.org. It has the random reference, because an older
 * export would repeat a number.
 */
export function makeReturnPath(key: Uint8Array, bounceAddress: string, reference: string): string {
  const at = bounceAddress.lastIndexOf('@');
  const name = toDigits(referenceToBytes(reference), REFERENCE_DIGITS);
  const signature = toDigits(signatureOf(key, reference), SIGNATURE_DIGITS);
  return `${bounceAddress.slice(0, at)}+${name}${signature}${bounceAddress.slice(at)}`;
}

/** The token in an address, even wrapped by a forwarder (BATV, SRS) or with "=" in place of "@". */
const ADDRESS_TOKEN = /\+([0-9a-z]{25})([0-9a-z]{13})[@=]/gi;
/** Maximum number of tokens in one text that are verified. */
const MOST_TOKENS = 50;

/** The reference in the first valid token of a text, or null. Compares in constant time. */
export function findReference(key: Uint8Array, text: string): string | null {
  for (const [, name = '', digits = ''] of [...text.matchAll(ADDRESS_TOKEN)].slice(0, MOST_TOKENS)) {
    const bytes = toBytes(name, REFERENCE_BYTES);
    const signature = toBytes(digits, SHORT_SIGNATURE_BYTES);
    if (bytes === null || signature === null) continue;
    const reference = referenceOf(bytes);
    if (timingSafeEqual(signature, signatureOf(key, reference))) return reference;
  }
  return null;
}
