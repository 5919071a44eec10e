import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import type { TableClient } from './client.ts';
import { QueryError } from './errors.ts';
import { failed } from './failure.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const LONGEST_EMAIL = 320;
/** SQLSTATE of a broken unique index. */
const DUPLICATE = '23505';

/** Whether the text is an e-mail address by the pattern of section 5, surrounding space aside. */
export function isEmail(text: string): boolean {
  const address = text.trim();
  return address.length <= LONGEST_EMAIL && EMAIL.test(address);
}

/**
 * Adds an address to the weekly signal. Throws QueryError: 'already_subscribed' for an active address, else
 * 'failed_to_subscribe'. What is logged never holds the address.
 */
export async function subscribe(client: TableClient | null, email: string): Promise<void> {
  if (client === null) throw new QueryError('not_initialized');
  const { error, status } = await client
    .from(SUBSCRIBERS_TABLE)
    .insert({ email: email.trim(), is_active: true })
    .setHeader('Prefer', 'return=minimal');
  if (error === null) return;
  // The details of a broken constraint quote the row, so only the code is logged.
  console.error('Subscribing failed:', { status, code: error.code });
  if (error.code === DUPLICATE) throw new QueryError('already_subscribed');
  // The message alone: the cause of `failed` holds the details.
  throw new QueryError(
    'failed_to_subscribe',
    failed('failed_to_subscribe', SUBSCRIBERS_TABLE, error, status).message,
  );
}
