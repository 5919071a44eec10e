import { foldAddress } from '#schema/parse.ts';
import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import type { TableClient } from './client.ts';
import { failed, QueryError } from './query-error.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LONGEST_EMAIL = 320;
/** Longer text is rejected unread, because normalizing it takes quadratic time. */
const LONGEST_TYPED = 1_000;
/** The status of an added row. The client treats some others, such as an empty 404, as success. */
const ADDED = 201;
/** SQLSTATE codes of a violated unique index and of a violated constraint. */
const DUPLICATE = '23505';
const UNFIT = '23514';

const NOT_STORED = 'The database is not available, so your address was not stored. Please try again later.';
/** Sentences for the error codes of PostgREST and of our server while the database is unavailable. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  PGRST000: NOT_STORED,
  PGRST001:
    'The connection to the database was lost, so your address may not have been stored. Please try again.',
  PGRST002: NOT_STORED,
  PGRST003: NOT_STORED,
};

/** Invisible characters: control, formatting (zero-width, bidi marks) and filler characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
/** A domain to convert to ASCII, without characters that `URL` would interpret as a port or a path. */
const INTERNATIONAL = /^(?=.*\P{ASCII})(?:[\w.-]|\P{ASCII})+$/u;

export const INVISIBLE_CHARACTER = 'This address contains an invisible character. Please type it by hand.';
const UNFIT_ADDRESS = 'This address cannot receive mail.';

/** True if the trimmed text is an e-mail address by the pattern of section 5. */
export function isEmail(text: string): boolean {
  const address = text.trim();
  return address.length <= LONGEST_EMAIL && EMAIL.test(address);
}

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text.trim());
}

/** The domain in ASCII (`xn--…`), or unchanged if `URL` cannot convert it. */
function inAscii(domain: string): string {
  if (!INTERNATIONAL.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return domain;
  }
}

/** The spelling in which an address is sent and stored. Null if it is not an address. */
export function normaliseEmail(text: string): string | null {
  if (text.length > LONGEST_TYPED) return null;
  const address = foldAddress(text);
  const at = address.lastIndexOf('@') + 1;
  const sent = address.slice(0, at) + inAscii(address.slice(at));
  return isEmail(sent) ? sent : null;
}

/**
 * Adds an address to the weekly signal. Throws QueryError: 'already_subscribed' for an active address, else
 * 'failed_to_subscribe' with a message for the visitor. The log never contains the address. `alerts`: true to also add it to
 * the mails about changes of the verdict.
 */
export async function subscribe(client: TableClient | null, email: string, alerts = false): Promise<void> {
  if (client === null) throw new QueryError('not_initialized');
  if (hasInvisible(email)) throw new QueryError('failed_to_subscribe', INVISIBLE_CHARACTER);
  const address = normaliseEmail(email);
  if (address === null) throw new QueryError('failed_to_subscribe', UNFIT_ADDRESS);
  const { error, status } = await client
    .from(SUBSCRIBERS_TABLE)
    // Without `alerts` the row has only the columns that the specification names.
    .insert({ email: address, is_active: true, ...(alerts && { alerts }) })
    .setHeader('Prefer', 'return=minimal');
  if (status === ADDED) return;
  // The details of a violated constraint quote the row, so only the code is logged.
  console.error('Subscribing failed:', { status, code: error?.code });
  if (error?.code === DUPLICATE) throw new QueryError('already_subscribed');
  if (error?.code === UNFIT) throw new QueryError('failed_to_subscribe', UNFIT_ADDRESS);
  const message = UNAVAILABLE[error?.code ?? ''];
  if (message !== undefined) throw new QueryError('failed_to_subscribe', message);
  // Shows only the message of `failed`, because its cause contains details.
  throw new QueryError(
    'failed_to_subscribe',
    failed('failed_to_subscribe', SUBSCRIBERS_TABLE, error ?? {}, status).message,
  );
}
