import type { Database } from '#database/port.ts';

/** Days in which a subscriber may answer the question to confirm. */
export const DAYS_TO_CONFIRM = 7;

/** Has those who subscribe from now on asked to confirm, or not; who is asked already still may. */
export async function setAsksToConfirm(database: Database, asks: boolean): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(
      'update mailer.settings set asks_to_confirm = $1::boolean where asks_to_confirm <> $1::boolean',
      [asks],
    ),
  );
}

/**
 * Ends the subscriptions that nobody confirmed in time by `now` (epoch ms); answers how many. One that somebody else
 * changes at the moment is left for the next time, as waiting for several at once could go round in a circle.
 */
export async function dropUnconfirmed(database: Database, now: number): Promise<number> {
  const dropped = await database.transaction((transaction) =>
    transaction.query(
      `update public.email_subscribers
       set is_active = false, deactivated_at = $1::timestamptz, deactivated_because = 'never confirmed'
       where id in (
         select id from public.email_subscribers
         where is_active and confirmed_at is null
           and created_at <= $1::timestamptz - make_interval(days => $2::int)
         for update skip locked
       )
       returning id`,
      [new Date(now).toISOString(), DAYS_TO_CONFIRM],
    ),
  );
  return dropped.length;
}
