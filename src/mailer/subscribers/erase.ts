import type { Database, Transaction } from '#database/port.ts';
import { plainAddress } from '../plain-address.ts';

/** The rows of an address that is not written in ASCII there: what such spellings mean no database knows. */
async function otherSpellings(transaction: Transaction, plain: string): Promise<number[]> {
  const rows = await transaction.query<{ id: number; email: string }>(
    "select id, email from public.email_subscribers where email ~ '[^\\u0001-\\u007f]'",
  );
  return rows.filter(({ email }) => plainAddress(email) === plain).map(({ id }) => id);
}

/**
 * Removes every row of an address, whatever its case, the space around it and the spelling of its domain, active or not,
 * and what is known of mails to it, and answers how many rows; this survives a power cut before it resolves.
 */
export async function eraseSubscriber(database: Database, address: string): Promise<number> {
  const plain = plainAddress(address);
  const removed = await database.transaction(
    async (transaction) => {
      const others = await otherSpellings(transaction, plain);
      return transaction.query(
        `delete from public.email_subscribers where lower(btrim(email)) = $1 or id = any($2::bigint[])
         returning id`,
        [plain, `{${others.join(',')}}`],
      );
    },
    { durable: true },
  );
  return removed.length;
}
