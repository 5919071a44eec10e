import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import type { TableClient } from './client.ts';
import { QueryError } from './errors.ts';
import { failed } from './failure.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LONGEST_EMAIL = 320;
/** Longer text is not read: trimming and normalizing it takes time by the square of its length. */
const LONGEST_TYPED = 1_000;
/** The status of a row that was added; the client takes others for no error, an empty 404 among them. */
const ADDED = 201;
/** SQLSTATE of a broken unique index, and of a broken rule about the row. */
const DUPLICATE = '23505';
const UNFIT = '23514';

/** What copying leaves around an address: space of any kind, and marks nobody sees. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;
/** What no address has in it, though the pattern lets it through: control characters, marks nobody sees, halves of one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;
/** A domain to write in ASCII, without a character in which `URL` would read a port or a path. */
const INTERNATIONAL = /^(?=.*\P{ASCII})(?:[\w.-]|\P{ASCII})+$/u;
const UNFIT_ADDRESS = 'This address cannot receive mail.';

/** Whether the text is an e-mail address by the pattern of section 5, surrounding space aside. */
export function isEmail(text: string): boolean {
  const address = text.trim();
  return address.length <= LONGEST_EMAIL && EMAIL.test(address);
}

/** The domain as mail servers know it, `xn--…`; as it stands where the platform cannot say. */
function inAscii(domain: string): string {
  if (!INTERNATIONAL.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return domain;
  }
}

/**
 * The one form an address is sent in, so that it is one row: without what stands around it, in lower case, its
 * domain in ASCII. Null where it holds what no address has, a line break above all.
 */
export function normaliseEmail(text: string): string | null {
  if (text.length > LONGEST_TYPED) return null;
  const address = text.replace(AROUND, '').normalize('NFC').toLowerCase();
  if (UNSEEN.test(address)) return null;
  const at = address.lastIndexOf('@') + 1;
  const sent = address.slice(0, at) + inAscii(address.slice(at));
  return isEmail(sent) ? sent : null;
}

/**
 * Adds an address to the weekly signal. Throws QueryError: 'already_subscribed' for an active address, else
 * 'failed_to_subscribe'. What is logged never holds the address; one that cannot be is not sent.
 */
export async function subscribe(client: TableClient | null, email: string): Promise<void> {
  if (client === null) throw new QueryError('not_initialized');
  const address = normaliseEmail(email);
  if (address === null) throw new QueryError('failed_to_subscribe', UNFIT_ADDRESS);
  const { error, status } = await client
    .from(SUBSCRIBERS_TABLE)
    .insert({ email: address, is_active: true })
    .setHeader('Prefer', 'return=minimal');
  if (status === ADDED) return;
  // The details of a broken constraint quote the row, so only the code is logged.
  console.error('Subscribing failed:', { status, code: error?.code });
  if (error?.code === DUPLICATE) throw new QueryError('already_subscribed');
  if (error?.code === UNFIT) throw new QueryError('failed_to_subscribe', UNFIT_ADDRESS);
  // The message alone: the cause of `failed` holds the details.
  throw new QueryError(
    'failed_to_subscribe',
    failed('failed_to_subscribe', SUBSCRIBERS_TABLE, error ?? {}, status).message,
  );
}
