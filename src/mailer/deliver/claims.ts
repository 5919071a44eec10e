import type { Database } from '#database/port.ts';
import { epochMs } from '../epoch-ms.ts';

/** A delivery that the caller has claimed. No other process sends it while the claim is valid. */
export interface ClaimedDelivery {
  readonly id: number;
  /** The id of the issue, or of the change of the verdict. Both are null for a confirmation mail. */
  readonly issueId: number | null;
  readonly changeId: number | null;
  readonly subscriberId: number;
  readonly email: string;
  /** The reference that identifies the subscriber in links. */
  readonly reference: string;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** Time at which the delivery expires (epoch ms). */
  readonly giveUpAt: number;
}

/** Claimed deliveries, and the numbers of deliveries that ended without an attempt. */
interface Claimed {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly expired: number;
  /**
   * Number of deliveries to subscribers who have unsubscribed or opted out, or whose confirmation mail is no longer
   * needed.
   */
  readonly skipped: number;
}

type ClaimedRow = ClaimedDelivery &
  Record<string, unknown> & { readonly status: 'sending' | 'expired' | 'skipped' };

/** Lifetime of a claim, by the database's clock. */
const CLAIM_LASTS = '60 seconds';

/** SQL condition for the due deliveries that are unclaimed or whose claim has expired. */
const MAY_BE_CLAIMED = `status in ('pending', 'sending') and due_at <= $2::timestamptz
  and (status = 'pending' or claimed_by <> $1 and claimed_until < clock_timestamp())`;

/** Orders by the indexed column only. With a second column, Postgres would sort all due rows for each claim. */
const CLAIM = `
  with due as (
    select id, issue_id, change_id, subscriber_id, give_up_at from mailer.deliveries where ${MAY_BE_CLAIMED}
    order by due_at limit $3::integer for update skip locked
  ), decided as (
    select due.id, subscriber.email, subscriber.reference, case
      when not subscriber.is_active
        or (subscriber.confirmed_at is null) <> (due.issue_id is null and due.change_id is null)
        or due.change_id is not null and not subscriber.alerts then 'skipped'
      when due.give_up_at <= $2::timestamptz then 'expired'
      else 'sending' end as status
    from due join public.email_subscribers as subscriber on subscriber.id = due.subscriber_id
  )
  update mailer.deliveries as delivery
  set status = decided.status,
    claimed_by = case decided.status when 'sending' then $1 end,
    claimed_until = case decided.status when 'sending' then clock_timestamp() + interval '${CLAIM_LASTS}' end,
    finished_at = case decided.status when 'sending' then null else $2::timestamptz end
  from decided where delivery.id = decided.id
  returning delivery.status, delivery.id, delivery.issue_id as "issueId", delivery.change_id as "changeId",
    delivery.subscriber_id as "subscriberId", decided.email, decided.reference, delivery.attempts,
    ${epochMs('delivery.give_up_at')} as "giveUpAt"`;

/** Claims at most `count` deliveries that are due at `now` (epoch ms). */
export async function claimDue(
  database: Database,
  { holder, now, count }: { holder: string; now: number; count: number },
): Promise<Claimed> {
  const parameters = [holder, new Date(now).toISOString(), count];
  const rows = await database.transaction((transaction) => transaction.query<ClaimedRow>(CLAIM, parameters));
  const countOf = (status: ClaimedRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    deliveries: rows.filter(({ status }) => status === 'sending'),
    expired: countOf('expired'),
    skipped: countOf('skipped'),
  };
}

/** Extends the holder's claims on the deliveries with these ids. */
export async function renewClaims(database: Database, holder: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await database.transaction((transaction) =>
    transaction.query(
      `update mailer.deliveries set claimed_until = clock_timestamp() + interval '${CLAIM_LASTS}'
       where id = any($1::bigint[]) and claimed_by = $2`,
      [`{${ids.join(',')}}`, holder],
    ),
  );
}

/** Sets the deliveries that the holder has claimed back to `pending`. */
export async function releaseClaims(database: Database, holder: string): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(
      `update mailer.deliveries set status = 'pending', claimed_by = null, claimed_until = null
       where status = 'sending' and claimed_by = $1`,
      [holder],
    ),
  );
}

/**
 * Expires the pending deliveries that are too old for an attempt. Returns their number. Skips locked rows, which the
 * next call expires, because waiting for several locks could cause a deadlock.
 */
export async function expireOld(database: Database, now: number): Promise<number> {
  const rows = await database.transaction((transaction) =>
    transaction.query(
      `update mailer.deliveries set status = 'expired', finished_at = $1::timestamptz
       where id in (
         select id from mailer.deliveries where status = 'pending' and give_up_at <= $1::timestamptz
         for update skip locked
       ) returning id`,
      [new Date(now).toISOString()],
    ),
  );
  return rows.length;
}

/**
 * Counts the unfinished deliveries, and those that are due at `now` (epoch ms). `nextDueAt` is the earliest due time
 * (epoch ms); null if no delivery is unfinished.
 */
export async function countLeft(database: Database, now: number) {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<{ left: number; due: number; next: number | null }>(
        `select count(*) as left, count(*) filter (where due_at <= $1::timestamptz) as due, ${epochMs('min(due_at)')} as next
         from mailer.deliveries where status in ('pending', 'sending')`,
        [new Date(now).toISOString()],
      ),
    { readOnly: true },
  );
  return {
    left: row?.left ?? 0,
    due: row?.due ?? 0,
    nextDueAt: row?.next ?? null,
  };
}
