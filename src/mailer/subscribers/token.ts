import { createHmac, timingSafeEqual } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { Database } from '#database/port.ts';

const KEY_BYTES = 32;

/** Reads the key that signs links, which is the same in all processes. Rejects if mailer.settings has no key. */
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

/** Replaces the key that signs links. The links of all earlier mails become invalid. */
export async function rotateSigningKey(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query('update mailer.settings set signing_key = default'),
  );
}

/**
 * The action of a link. 'alerts' turns the mails about changes of the verdict on or off. The token of one action is
 * invalid for the others.
 */
export type TokenPurpose = 'unsubscribe' | 'confirm' | 'alerts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const REFERENCE_BYTES = 16;
const SIGNATURE_BYTES = 16;
/** Matches a token. It is 32 bytes in base64url: the reference and its signature. */
const TOKEN = /^[\w-]{43}$/;

/** Returns the first 16 bytes of an HMAC-SHA256. `text` must begin with a prefix that no other purpose uses. */
export function sign(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest().subarray(0, SIGNATURE_BYTES);
}

/** Returns the 16 bytes of a reference. Throws if it is not a UUID. */
export function referenceToBytes(reference: string): Buffer {
  if (!UUID.test(reference)) throw new Error('The reference of a subscriber must be a UUID.');
  return Buffer.from(reference.replaceAll('-', ''), 'hex');
}

/** Returns the reference with these 16 bytes, as a UUID. */
export function referenceOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the token of a subscriber's link, which is 43 characters of base64url. */
export function makeToken(key: Uint8Array, purpose: TokenPurpose, reference: string): string {
  const signature = sign(key, `${purpose}:${reference}`);
  return Buffer.concat([referenceToBytes(reference), signature]).toString('base64url');
}

/**
 * Returns the reference in a token. Null if the token was not made with this key for this purpose. Compares in constant
 * time.
 */
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

/**
 * Returns the Message-ID of a mail in angle brackets. It is the same at each attempt and in each process, and reveals
 * neither the address nor a token. `issue` is the week, or 'change' with the session of the change, or 'confirm'. `domain`
 * is the domain of the sender.
 */
export function messageIdOf(
  key: Uint8Array,
  { issue, reference, domain }: { issue: string; reference: string; domain: string },
): string {
  const name = sign(key, `message:${issue}:${reference}`).toString('hex');
  return `<${name}@${domainToASCII(domain) || 'localhost'}>`;
}
