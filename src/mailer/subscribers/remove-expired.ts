import type { Database } from '#database/port.ts';

/** Retention of finished deliveries and of reports in days, which equals the retention of market rows. */
const DELIVERY_DAYS = 400;
/**
 * Retention of addresses that were never confirmed in days. It is short, because another person may have entered the
 * address.
 */
const UNCONFIRMED_DAYS = 30;
/** Number of rows that one statement deletes. It is limited, so that other transactions wait only briefly. */
const BATCH = 10_000;

/**
 * These statements use the database's clock, because with a wrong clock of this process they could delete too much.
 * They skip locked rows.
 */
const DELETIONS = [
  `delete from mailer.deliveries where id in (
     select id from mailer.deliveries
     where created_at < now() - interval '${DELIVERY_DAYS} days' and status not in ('pending', 'sending')
     order by created_at limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from mailer.reports where id in (
     select id from mailer.reports where created_at < now() - interval '${DELIVERY_DAYS} days'
     order by created_at limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from public.email_subscribers where id in (
     select id from public.email_subscribers
     where not is_active and deactivated_because in ('never confirmed', 'bounced') and confirmed_at is null
       and deactivated_at < now() - interval '${UNCONFIRMED_DAYS} days'
     limit ${BATCH} for update skip locked
   ) returning 1`,
  `delete from mailer.subscription_counts where (client, hour) in (
     select client, hour from mailer.subscription_counts
     where hour < now() - interval '1 hour' limit ${BATCH} for update skip locked
   ) returning 1`,
];

/** Deletes the personal data whose retention has ended. */
export async function removeExpired(database: Database): Promise<void> {
  for (const deletion of DELETIONS) {
    let removed: unknown[];
    do {
      removed = await database.transaction((transaction) => transaction.query(deletion));
    } while (removed.length >= BATCH);
  }
}
