import type { Database } from '#database/port.ts';

/** Days that deliveries are kept, as long as any other data. */
const DAYS_OF_DELIVERIES = 400;
/** Days that an address is kept that was never confirmed, perhaps entered by somebody else. */
const DAYS_OF_UNCONFIRMED = 30;
/** Rows removed per statement, so that other users of the table wait for a moment only. */
const BATCH = 10_000;

/** Uses the database's clock, as a wrong local one could remove too much. Skips locked rows. */
const OLD = [
  `delete from mailer.deliveries where id in (
     select id from mailer.deliveries
     where created_at < now() - interval '${DAYS_OF_DELIVERIES} days' and status not in ('pending', 'sending')
     order by created_at limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from public.email_subscribers where id in (
     select id from public.email_subscribers
     where not is_active and deactivated_because = 'never confirmed'
       and deactivated_at < now() - interval '${DAYS_OF_UNCONFIRMED} days'
     limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from mailer.subscription_counts where (client, hour) in (
     select client, hour from mailer.subscription_counts
     where hour < now() - interval '1 hour' limit ${BATCH} for update skip locked
   ) returning 1`,
];

/** Removes personal data past their retention. */
export async function removeExpired(database: Database): Promise<void> {
  for (const removal of OLD) {
    let removed: unknown[];
    do {
      removed = await database.transaction((transaction) => transaction.query(removal));
    } while (removed.length >= BATCH);
  }
}
