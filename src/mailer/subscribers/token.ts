import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Database } from '#database/port.ts';

const KEY_BYTES = 32;

/** The key that signs links, the same in all processes. Rejects if the settings hold none. */
export async function readSigningKey(database: Database): Promise<Uint8Array> {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<{ key: string }>(
        "select array_to_string(signing_key, '') as key from mailer.settings",
      ),
    { readOnly: true },
  );
  const key = Buffer.from((row?.key ?? '').replaceAll('-', ''), 'hex');
  if (key.length < KEY_BYTES) {
    throw new Error(
      'mailer.settings holds no key to sign links with; put its row back with: insert into mailer.settings default values.',
    );
  }
  return key;
}

/** The action a link allows. A token for one is invalid for the other. */
export type TokenPurpose = 'unsubscribe' | 'confirm';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const REFERENCE_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/;

function sign(key: Uint8Array, about: string): Buffer {
  return createHmac('sha256', key).update(about).digest().subarray(0, SIGNATURE_BYTES);
}

function toBytes(reference: string): Buffer {
  if (!UUID.test(reference)) throw new Error('A subscriber’s reference is no UUID.');
  return Buffer.from(reference.replaceAll('-', ''), 'hex');
}

function toReference(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The token of a subscriber's link: 43 characters of base64url. */
export function makeToken(key: Uint8Array, purpose: TokenPurpose, reference: string): string {
  const signature = sign(key, `${purpose}:${reference}`);
  return Buffer.concat([toBytes(reference), signature]).toString('base64url');
}

/** The reference in a token, compared in constant time; null if it was not made with this key for this purpose. */
export function readToken(key: Uint8Array, purpose: TokenPurpose, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  // The last character has two bits to spare; only one of its four spellings is the token.
  if (bytes.toString('base64url') !== token) return null;
  const reference = toReference(bytes.subarray(0, REFERENCE_BYTES));
  const signature = bytes.subarray(REFERENCE_BYTES);
  return timingSafeEqual(signature, sign(key, `${purpose}:${reference}`)) ? reference : null;
}

/**
 * The Message-ID of one mail, with its angle brackets: the same at each try and in each process, revealing neither the
 * address nor a token. `issue` is the week, or 'confirm'; `domain` is the sender's.
 */
export function messageIdOf(
  key: Uint8Array,
  { issue, reference, domain }: { issue: string; reference: string; domain: string },
): string {
  const name = sign(key, `message:${issue}:${reference}`).toString('hex');
  return `<${name}@${domainToASCII(domain) || 'localhost'}>`;
}
