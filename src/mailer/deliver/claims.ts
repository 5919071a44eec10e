import { type Database, epochMs } from '#database/port.ts';
import { queryOnce } from '../query-once.ts';

/** The way in which a message reaches its recipients. */
export type Channel = 'mail' | 'webhook' | 'anchor';

/** A delivery that the caller has claimed. No other process sends it while the claim is valid. */
export interface ClaimedDelivery {
  readonly id: number;
  /** The id of the message; null for the confirmation request. */
  readonly messageId: number | null;
  /** The subscriber; null unless the channel is 'mail'. */
  readonly subscriberId: number | null;
  /** The address of the subscriber, the digest of the webhook, or the kind of the anchor. */
  readonly recipient: string;
  /** The reference that identifies the subscriber in links; null without a subscriber. */
  readonly reference: string | null;
  /** Number of earlier attempts. */
  readonly attempts: number;
  /** Time at which the delivery expires (epoch ms). */
  readonly giveUpAt: number;
}

type ClaimedRow = ClaimedDelivery &
  Record<string, unknown> & { readonly status: 'sending' | 'expired' | 'skipped' };

/** Lifetime of a claim, by the database's clock. */
const CLAIM_LASTS = '60 seconds';

/**
 * Claims due deliveries that are unclaimed or whose claim has expired. An expired claim of this run is still being
 * sent. Orders by the indexed column only, because with a second one Postgres would sort all due rows for each claim.
 */
const CLAIM = `
  with due as (
    select id, message_id, subscriber_id, target, give_up_at from mailer.deliveries
    where channel = $3 and status in ('pending', 'sending') and due_at <= $2::timestamptz
      and (status = 'pending' or claimed_by <> $1 and claimed_until < clock_timestamp())
      and (target is null or target = any($4::text[]))
    order by due_at limit $5::integer for update skip locked
  ), decided as (
    select due.id, coalesce(subscriber.email, due.target) as recipient, subscriber.reference, case
      when subscriber_id is not null and (not subscriber.is_active
        or (subscriber.confirmed_at is null) <> (message_id is null)
        or message.change_id is not null and not subscriber.alerts) then 'skipped'
      when due.give_up_at <= $2::timestamptz then 'expired'
      else 'sending' end as status
    from due left join public.email_subscribers as subscriber on subscriber.id = subscriber_id
      left join mailer.messages as message on message.id = message_id
  )
  update mailer.deliveries as delivery
  set status = decided.status,
    claimed_by = case decided.status when 'sending' then $1 end,
    claimed_until = case decided.status when 'sending' then clock_timestamp() + interval '${CLAIM_LASTS}' end,
    finished_at = case decided.status when 'sending' then null else $2::timestamptz end
  from decided where delivery.id = decided.id
  returning delivery.status, delivery.id, delivery.message_id as "messageId",
    delivery.subscriber_id as "subscriberId", decided.recipient, decided.reference, delivery.attempts,
    ${epochMs('delivery.give_up_at')} as "giveUpAt"`;

interface ClaimOptions {
  readonly channel: Channel;
  /** The targets that this process can reach: digests of webhooks, or kinds of anchors. */
  readonly targets?: readonly string[] | undefined;
  /** A unique name of the run. */
  readonly holder: string;
  /** The current time (epoch ms). */
  readonly now: number;
  readonly count: number;
}

/**
 * Claims at most `count` due deliveries. Returns them, the number of expired ones, and the number of skipped ones: to
 * subscribers who have unsubscribed or opted out, or whose confirmation mail is no longer needed.
 */
export async function claimDue(
  database: Database,
  { channel, targets = [], holder, now, count }: ClaimOptions,
) {
  const parameters = [holder, new Date(now).toISOString(), channel, targets, count];
  const rows = await queryOnce<ClaimedRow>(database, CLAIM, parameters);
  const withStatus = (wanted: ClaimedRow['status']) => rows.filter(({ status }) => status === wanted);
  return {
    deliveries: withStatus('sending') as readonly ClaimedDelivery[],
    expired: withStatus('expired').length,
    skipped: withStatus('skipped').length,
  };
}

/** Extends the holder's claims on the deliveries with these ids. */
export async function renewClaims(database: Database, holder: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queryOnce(
    database,
    `update mailer.deliveries set claimed_until = clock_timestamp() + interval '${CLAIM_LASTS}'
     where id = any($1::bigint[]) and claimed_by = $2`,
    [ids, holder],
  );
}

/** Sets the deliveries that the holder has claimed back to `pending`. */
export async function releaseClaims(database: Database, holder: string): Promise<void> {
  await queryOnce(
    database,
    `update mailer.deliveries set status = 'pending', claimed_by = null, claimed_until = null
     where status = 'sending' and claimed_by = $1`,
    [holder],
  );
}

/**
 * Expires the pending deliveries of a channel that are too old for an attempt. Returns their number. Skips locked rows,
 * which the next call expires, because waiting for several locks could cause a deadlock.
 */
export async function expireOld(database: Database, channel: Channel, now: number): Promise<number> {
  const rows = await queryOnce(
    database,
    `update mailer.deliveries set status = 'expired', finished_at = $2::timestamptz
     where id in (
       select id from mailer.deliveries where channel = $1 and status = 'pending' and give_up_at <= $2::timestamptz
       for update skip locked
     ) returning id`,
    [channel, new Date(now).toISOString()],
  );
  return rows.length;
}

/**
 * Counts the unfinished deliveries of a channel, and those that are due at `now` (epoch ms). `nextDueAt` is the earliest
 * due time (epoch ms); null if no delivery is unfinished.
 */
export async function countLeft(database: Database, channel: Channel, now: number) {
  const [row] = await queryOnce<{ left: number; due: number; next: number | null }>(
    database,
    `select count(*) as left, count(*) filter (where due_at <= $2::timestamptz) as due, ${epochMs('min(due_at)')} as next
     from mailer.deliveries where channel = $1 and status in ('pending', 'sending')`,
    [channel, new Date(now).toISOString()],
    { readOnly: true },
  );
  return { left: row?.left ?? 0, due: row?.due ?? 0, nextDueAt: row?.next ?? null };
}
