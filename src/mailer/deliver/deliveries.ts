import { type Database, DURABLE, epochMs, queryOnce, readOnce } from '#database/port.ts';

/** The way in which a message reaches its recipients. */
export type Channel = 'mail' | 'webhook' | 'anchor';

/** A message for all recipients of a channel. */
export interface Message<Content = unknown> {
  /** Identifies the message for its recipients. */
  readonly name: string;
  readonly content: Content;
}

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

type ClaimedRow = ClaimedDelivery & { readonly status: 'sending' | 'expired' | 'skipped' };

/** Lifetime of a claim, by the database's clock. */
const CLAIM_LASTS = '60 seconds';

/** Claims due deliveries. A second column in the order would make Postgres sort all due rows for each claim. */
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

/** Claims at most `count` due deliveries. Skips and counts expired ones and those no longer wanted. */
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

/** Expires old, unclaimed deliveries. Returns their number. Skips locked rows, which could cause a deadlock. */
export async function expireOld(database: Database, channel: Channel, now: number): Promise<number> {
  const rows = await queryOnce(
    database,
    `update mailer.deliveries set status = 'expired', finished_at = $2::timestamptz, claimed_by = null,
       claimed_until = null
     where id in (
       select id from mailer.deliveries
       where channel = $1 and status in ('pending', 'sending') and give_up_at <= $2::timestamptz
         and (status = 'pending' or claimed_until < clock_timestamp())
       for update skip locked
     ) returning id`,
    [channel, new Date(now).toISOString()],
  );
  return rows.length;
}

/** The unfinished deliveries of a channel, those due at `now`, and the earliest due time (epoch ms; null for none). */
export async function countLeft(database: Database, channel: Channel, now: number) {
  const [row] = await readOnce<{ left: number; due: number; next: number | null }>(
    database,
    `select count(*) as left, count(*) filter (where due_at <= $2::timestamptz) as due, ${epochMs('min(due_at)')} as next
     from mailer.deliveries where channel = $1 and status in ('pending', 'sending')`,
    [channel, new Date(now).toISOString()],
  );
  return { left: row?.left ?? 0, due: row?.due ?? 0, nextDueAt: row?.next ?? null };
}

/** Reads a message by its id. Rejects if it does not exist. */
export async function readMessage(database: Database, id: number): Promise<Message> {
  const [row] = await readOnce<Message & object>(
    database,
    'select name, content from mailer.messages where id = $1',
    [id],
  );
  if (row === undefined) throw new Error(`Message ${id} is missing in mailer.messages.`);
  return row;
}

/** Outcome of one attempt. `reply` is that of the server, such as '550 5.1.1'. `reason` is a sentence without secrets. */
export type AttemptOutcome =
  | { readonly result: 'sent' }
  /** Refused permanently (5xx), because of the recipient's address, or of the mail or the sender. */
  | { readonly result: 'refused'; readonly reply: string | null; readonly isAddress: boolean }
  /** A later attempt may succeed (4xx, connection lost). Without a reason, the mail server is the cause. */
  | { readonly result: 'later'; readonly reply: string | null; readonly reason?: string }
  /** The server accepts no mails at the moment (unreachable, login or sender refused, 421), whatever the mail. */
  | { readonly result: 'unavailable'; readonly reason: string };

const MINUTE_MS = 60_000;
const LONGEST_PAUSE_MS = 120 * MINUTE_MS;
const GIVE_UP_MS = 24 * 60 * MINUTE_MS;
/** The last attempt is this much earlier than the end of the delivery (ms). */
const LAST_TRY_MS = 5 * MINUTE_MS;

/** Returns the pause after `failures` failures in a row (ms): 1, 2, 4, … minutes, at most `longest`. */
export function pauseAfter(failures: number, longest: number): number {
  return Math.min(MINUTE_MS * 2 ** Math.min(failures - 1, 10), longest);
}

/**
 * The next attempt and the end (epoch ms) of a delivery that failed at `now`, null to end it now: after 1, 2, 4, …
 * minutes, at most 2 hours, for a day from the first failure. `tries` includes this one; until the first failure,
 * `giveUpAt` limits the first attempt.
 */
export function nextTry({ tries, now, giveUpAt }: { tries: number; now: number; giveUpAt: number }) {
  const until = tries <= 1 ? now + GIVE_UP_MS : giveUpAt;
  const dueAt = Math.min(now + pauseAfter(tries, LONGEST_PAUSE_MS), until - LAST_TRY_MS);
  return dueAt > now ? { dueAt, giveUpAt: until } : null;
}

/** Result of an attempt. 'released' does not count as an attempt of this run. */
export type Recorded = 'sent' | 'refused' | 'later' | 'expired' | 'released';

/** Time after which a released delivery may be claimed again (ms). */
const RELEASE_DELAY_MS = 30_000;
/** If a subscriber's address was refused for this many issues and alerts in a row, the subscriber may be suspended. */
const REFUSALS = 3;

/** The new status of a delivery after an attempt that ended at `now`, and when the next attempt is due. */
function statusAfter(
  outcome: AttemptOutcome,
  { attempts, giveUpAt }: ClaimedDelivery,
  now: number,
): { status: Recorded; dueAt?: number; giveUpAt?: number } {
  if (outcome.result === 'unavailable') return { status: 'released', dueAt: now + RELEASE_DELAY_MS };
  if (outcome.result !== 'later') return { status: outcome.result };
  const next = nextTry({ tries: attempts + 1, now, giveUpAt });
  return next === null ? { status: 'expired' } : { status: 'later', ...next };
}

const toText = (instant: number | undefined) =>
  instant === undefined ? null : new Date(instant).toISOString();

/**
 * Records the outcome of a claimed delivery durably. Suspends the subscriber if the address was refused for the third
 * issue or alert in a row, unless most subscribers were refused. Leaves a delivery that is no longer claimed: then
 * returns 'sent' or 'released'. `now` is the end of the attempt (epoch ms).
 */
export async function recordOutcome(
  database: Database,
  delivery: ClaimedDelivery,
  { holder, outcome, now }: { holder: string; outcome: AttemptOutcome; now: number },
): Promise<Recorded> {
  const { status, dueAt, giveUpAt } = statusAfter(outcome, delivery, now);
  const { id, subscriberId } = delivery;
  const isPending = status === 'later' || status === 'released';
  const isAddress = outcome.result === 'refused' && outcome.isAddress;
  const change = [
    ...[id, holder, isPending ? 'pending' : status, status === 'released' ? 0 : 1],
    ...['reply' in outcome ? outcome.reply : null, isAddress],
    ...[toText(dueAt), toText(giveUpAt), isPending ? null : toText(now)],
  ];
  const changed = await database.transaction(async (transaction) => {
    // Locks the subscriber before the delivery, because erasing and unsubscribing lock them in this order. Another
    // order could cause a deadlock.
    if (isAddress) await transaction.query(LOCK_SUBSCRIBER, [subscriberId]);
    const rows = await transaction.query(CHANGE, change);
    if (isAddress) await transaction.query(SUSPEND_IF_REFUSED, [subscriberId, toText(now), id]);
    return rows;
  }, DURABLE);
  return changed.length > 0 || status === 'sent' ? status : 'released';
}

const CHANGE = `update mailer.deliveries set status = $3, attempts = attempts + $4::integer,
     reply = coalesce($5, reply), address_refused = $6::boolean, due_at = coalesce($7::timestamptz, due_at),
     give_up_at = coalesce($8::timestamptz, give_up_at), finished_at = $9::timestamptz,
     claimed_by = null, claimed_until = null
   where id = $1 and claimed_by = $2 and status = 'sending' returning id`;

const LOCK_SUBSCRIBER = 'select from public.email_subscribers where id = $1 for update';

/** A message refused more often than sent counts only if it is the current one ($3): the server may be the cause. */
const SUSPEND_IF_REFUSED = `update public.email_subscribers set is_active = false, deactivated_at = $2::timestamptz,
     deactivated_because = 'address refused'
   where id = $1 and is_active and (
     select count(*) filter (where address_refused and (id = $3 or (
       select count(*) filter (where status = 'sent') >= count(*) filter (where address_refused)
       from mailer.deliveries where message_id = newest.message_id
     ))) from (
       select id, message_id, address_refused from mailer.deliveries
       where subscriber_id = $1 and message_id is not null and status in ('sent', 'refused')
       order by id desc limit ${REFUSALS}
     ) as newest
   ) = ${REFUSALS}`;
