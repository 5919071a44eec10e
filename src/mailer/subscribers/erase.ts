import type { Database } from '#database/port.ts';

/**
 * Removes every row of an address in any spelling, active or not, with its deliveries. Returns the number of rows. The
 * change is on the disk when this resolves.
 */
export async function eraseSubscriber(database: Database, address: string): Promise<number> {
  const removed = await database.transaction(
    (transaction) =>
      transaction.query(
        // Rows that were refused for their address keep the spelling that they came with.
        `delete from public.email_subscribers
         where email = mailer.plain_address($1::text) or lower(btrim(email)) = lower($1::text)
         returning id`,
        [address.trim()],
      ),
    { durable: true },
  );
  return removed.length;
}
