import { type Database, queryOnce } from '#database/port.ts';

export const DAYS_TO_CONFIRM = 7;

/** Sets whether new subscribers must confirm. Links of sent confirmation mails stay valid. */
export async function setAsksToConfirm(database: Database, asks: boolean): Promise<void> {
  await queryOnce(
    database,
    'update mailer.settings set asks_to_confirm = $1::boolean where asks_to_confirm <> $1::boolean',
    [asks],
  );
}

/** Ends subscriptions not confirmed in time at `now` (epoch ms). Skips locked rows, which could cause a deadlock. */
export async function dropUnconfirmed(database: Database, now: number): Promise<number> {
  const dropped = await queryOnce(
    database,
    `update public.email_subscribers
     set is_active = false, deactivated_at = $1::timestamptz, deactivated_because = 'never confirmed'
     where id in (
       select id from public.email_subscribers
       where is_active and confirmed_at is null and created_at <= $1::timestamptz - make_interval(days => $2::int)
       for update skip locked
     )
     returning id`,
    [new Date(now).toISOString(), DAYS_TO_CONFIRM],
  );
  return dropped.length;
}

/** Options of a transaction that a visitor starts. The visitor gets the response after the change is durable. */
const VISITOR_CHANGE = { durable: true, statementTimeoutMs: 5_000 } as const;

/** Confirms the active subscription with this reference, and skips a confirmation mail that is still pending. */
export async function confirm(
  database: Database,
  reference: string,
): Promise<'confirmed' | 'confirmed before' | 'unknown'> {
  const [row] = await queryOnce<{ result: 'confirmed' | 'confirmed before' | 'unknown' }>(
    database,
    `with confirmed as (
       update public.email_subscribers set confirmed_at = now()
       where reference = $1::uuid and is_active and confirmed_at is null
       returning id
     ), skipped as (
       update mailer.deliveries set status = 'skipped', finished_at = now()
       where subscriber_id in (select id from confirmed) and message_id is null and status = 'pending'
     )
     select case when exists (select from confirmed) then 'confirmed'
       when exists (select from public.email_subscribers where reference = $1::uuid and is_active)
       then 'confirmed before' else 'unknown' end as result`,
    [reference],
    VISITOR_CHANGE,
  );
  return row?.result ?? 'unknown';
}

/** SQL condition for the active subscription of the address that has the reference `$1`. */
const ACTIVE = `is_active and lower(btrim(email)) =
  (select lower(btrim(email)) from public.email_subscribers where reference = $1::uuid)`;

/** 'left before' means that the address has no active subscription; 'unknown' that no row has the reference. */
export type Leaving = 'left' | 'left before' | 'unknown';

/** Ends the address's active subscription, also one newer than the link: the person wants no more mails. */
export async function unsubscribe(database: Database, reference: string): Promise<Leaving> {
  const [row] = await queryOnce<{ result: Leaving }>(
    database,
    `with ended as (
       update public.email_subscribers
       set is_active = false, deactivated_at = now(), deactivated_because = 'left'
       where ${ACTIVE} returning id
     )
     select case when exists (select from ended) then 'left'
       when exists (select from public.email_subscribers where reference = $1::uuid)
       then 'left before' else 'unknown' end as result`,
    [reference],
    VISITOR_CHANGE,
  );
  return row?.result ?? 'unknown';
}

/** True if the address with this reference gets mails of new verdicts; null without an active subscription. */
export async function wantsAlerts(database: Database, reference: string): Promise<boolean | null> {
  const [subscriber] = await queryOnce<{ alerts: boolean }>(
    database,
    `select alerts from public.email_subscribers where ${ACTIVE}`,
    [reference],
    { readOnly: true, statementTimeoutMs: VISITOR_CHANGE.statementTimeoutMs },
  );
  return subscriber?.alerts ?? null;
}

/** Turns the mails about changes of the verdict on or off. The change is durable when the promise resolves. */
export async function chooseAlerts(
  database: Database,
  reference: string,
  alerts: boolean,
): Promise<'alerts on' | 'alerts off' | 'unknown'> {
  const changed = await queryOnce(
    database,
    `update public.email_subscribers set alerts = $2::boolean where ${ACTIVE} returning id`,
    [reference, alerts],
    VISITOR_CHANGE,
  );
  if (changed.length === 0) return 'unknown';
  return alerts ? 'alerts on' : 'alerts off';
}

/** Retention of finished deliveries and of reports in days, which equals that of the records of runs. */
const DELIVERY_DAYS = 400;
/** Days before an unconfirmed address is deleted: few, because another person may have entered it. */
const UNCONFIRMED_DAYS = 30;
/** Number of rows that one statement deletes. It is limited, so that other transactions wait only briefly. */
const BATCH = 10_000;

/** The rows to delete: their table, their key, and a condition that uses the database's clock. */
const EXPIRED = [
  [
    'mailer.deliveries',
    'id',
    `created_at < now() - interval '${DELIVERY_DAYS} days' and status not in ('pending', 'sending') order by created_at`,
  ],
  ['mailer.reports', 'id', `created_at < now() - interval '${DELIVERY_DAYS} days' order by created_at`],
  [
    'public.email_subscribers',
    'id',
    `not is_active and deactivated_because in ('never confirmed', 'bounced') and confirmed_at is null
       and deactivated_at < now() - interval '${UNCONFIRMED_DAYS} days'`,
  ],
  ['mailer.subscription_counts', 'client, hour', "hour < now() - interval '1 hour'"],
] as const;

/** Deletes the personal data whose retention has ended. Skips locked rows. */
export async function removeExpiredPersonalData(database: Database): Promise<void> {
  for (const [table, key, condition] of EXPIRED) {
    const deletion = `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked) returning 1`;
    let removed: unknown[];
    do {
      removed = await queryOnce(database, deletion);
    } while (removed.length >= BATCH);
  }
}
