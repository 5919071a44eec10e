import type { Database } from '#database/port.ts';

/** Days for which it is kept who got which mail, as long as anything else is. */
const DAYS_OF_DELIVERIES = 400;
/** Days after which an address that nobody ever confirmed is no longer kept: nobody may have given it. */
const DAYS_OF_UNCONFIRMED = 30;
/** Rows removed at once, so that whoever needs their table waits for a moment only. */
const BATCH = 10_000;

/** What is removed, by the database's clock, as a wrong one of ours could not put it back. What somebody is at waits. */
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

/** Removes what is known of people and is no longer of use. */
export async function forgetOld(database: Database): Promise<void> {
  for (const removal of OLD) {
    let removed: unknown[];
    do {
      removed = await database.transaction((transaction) => transaction.query(removal));
    } while (removed.length >= BATCH);
  }
}
