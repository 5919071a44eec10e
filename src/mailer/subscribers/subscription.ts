import type { Database } from '#database/port.ts';

/** Days in which a subscription can be confirmed. */
export const DAYS_TO_CONFIRM = 7;

/** Sets whether new subscribers must confirm. Links of sent confirmation mails stay valid. */
export async function setAsksToConfirm(database: Database, asks: boolean): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(
      'update mailer.settings set asks_to_confirm = $1::boolean where asks_to_confirm <> $1::boolean',
      [asks],
    ),
  );
}

/**
 * Ends the subscriptions that were not confirmed in time at `now` (epoch ms). Returns their number. Skips locked rows,
 * because waiting for several could deadlock; the next call ends them.
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

/** The visitor gets the response after the change is durable. */
const VISITOR_CHANGE = { durable: true, statementTimeoutMs: 5_000 } as const;

/** Result of confirming. 'unknown': there is no such subscription, or it has ended. */
export type Confirming = 'confirmed' | 'confirmed before' | 'unknown';

/** Confirms the active subscription with this reference. The change is durable when the promise resolves. */
export function confirm(database: Database, reference: string): Promise<Confirming> {
  return database.transaction(async (transaction) => {
    const confirmed = await transaction.query<{ id: number }>(
      `update public.email_subscribers set confirmed_at = now()
       where reference = $1::uuid and is_active and confirmed_at is null
       returning id`,
      [reference],
    );
    const [subscriber] = confirmed;
    if (subscriber !== undefined) {
      // Skips a confirmation mail that is still pending.
      await transaction.query(
        `update mailer.deliveries set status = 'skipped', finished_at = now()
         where subscriber_id = $1 and issue_id is null and status = 'pending'`,
        [subscriber.id],
      );
      return 'confirmed';
    }
    const known = await transaction.query(
      'select id from public.email_subscribers where reference = $1::uuid and is_active',
      [reference],
    );
    return known.length > 0 ? 'confirmed before' : 'unknown';
  }, VISITOR_CHANGE);
}

/** Result of unsubscribing. 'left before': the address has no active subscription. 'unknown': no row has the reference. */
export type Leaving = 'left' | 'left before' | 'unknown';

/**
 * Ends the active subscription of the address with this reference, also a newer subscription than the one with the
 * reference: a person who uses an old link wants no more mail. The change is durable when the promise resolves.
 */
export function unsubscribe(database: Database, reference: string): Promise<Leaving> {
  return database.transaction(async (transaction) => {
    const left = await transaction.query(
      `update public.email_subscribers
       set is_active = false, deactivated_at = now(), deactivated_because = 'left'
       where is_active and lower(btrim(email)) =
         (select lower(btrim(email)) from public.email_subscribers where reference = $1::uuid)
       returning id`,
      [reference],
    );
    if (left.length > 0) return 'left';
    const known = await transaction.query(
      'select id from public.email_subscribers where reference = $1::uuid',
      [reference],
    );
    return known.length > 0 ? 'left before' : 'unknown';
  }, VISITOR_CHANGE);
}
