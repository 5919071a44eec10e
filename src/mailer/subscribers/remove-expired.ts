import type { Database } from '#database/port.ts';

/** Retention of finished deliveries, the same as of market rows. */
const DELIVERY_DAYS = 400;
/** Retention of addresses that were never confirmed. Another person may have entered them. */
const UNCONFIRMED_DAYS = 30;
/** Rows deleted per statement, so that other transactions wait only briefly. */
const BATCH = 10_000;

/** Uses the database's clock, because with a wrong local clock it could delete too much. Skips locked rows. */
const DELETIONS = [
  `delete from mailer.deliveries where id in (
     select id from mailer.deliveries
     where created_at < now() - interval '${DELIVERY_DAYS} days' and status not in ('pending', 'sending')
     order by created_at limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from public.email_subscribers where id in (
     select id from public.email_subscribers
     where not is_active and deactivated_because = 'never confirmed'
       and deactivated_at < now() - interval '${UNCONFIRMED_DAYS} days'
     limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from mailer.subscription_counts where (client, hour) in (
     select client, hour from mailer.subscription_counts
     where hour < now() - interval '1 hour' limit ${BATCH} for update skip locked
   ) returning 1`,
];

/** Deletes personal data whose retention has ended. */
export async function removeExpired(database: Database): Promise<void> {
  for (const deletion of DELETIONS) {
    let removed: unknown[];
    do {
      removed = await database.transaction((transaction) => transaction.query(deletion));
    } while (removed.length >= BATCH);
  }
}
