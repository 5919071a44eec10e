import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Database } from '#database/port.ts';

const KEY_BYTES = 32;

/** The key that signs links, the same in all processes. Rejects if mailer.settings has none. */
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
      'mailer.settings has no key to sign links. Insert its row with: insert into mailer.settings default values.',
    );
  }
  return key;
}

/** The action of a link. A token for one action is invalid for the other. */
export type TokenPurpose = 'unsubscribe' | 'confirm';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const REFERENCE_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** 32 bytes in base64url: the reference and its signature. */
const TOKEN = /^[\w-]{43}$/;

function sign(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
}

function toBytes(reference: string): Buffer {
  if (!UUID.test(reference)) throw new Error('The reference of a subscriber must be a UUID.');
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

/** The reference in a token, or null if the token was not made with this key for this purpose. Compares in constant time. */
export function readToken(key: Uint8Array, purpose: TokenPurpose, token: string): string | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  // The last character encodes four bits only, so four characters decode to the same bytes. Accepts one of them.
  if (bytes.toString('base64url') !== token) return null;
  const reference = toReference(bytes.subarray(0, REFERENCE_BYTES));
  const signature = bytes.subarray(REFERENCE_BYTES);
  return timingSafeEqual(signature, sign(key, `${purpose}:${reference}`)) ? reference : null;
}

/**
 * The Message-ID of a mail, in angle brackets. It is the same at each try and in each process, and reveals neither the
 * address nor a token. `issue` is the week or 'confirm'; `domain` is the sender's.
 */
export function messageIdOf(
  key: Uint8Array,
  { issue, reference, domain }: { issue: string; reference: string; domain: string },
): string {
  const name = sign(key, `message:${issue}:${reference}`).toString('hex');
  return `<${name}@${domainToASCII(domain) || 'localhost'}>`;
}
