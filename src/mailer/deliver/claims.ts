import type { Database } from '#database/port.ts';
import { withShortTimeout } from '#database/short-timeout.ts';

/** A mail that this process, and no other, is to send. */
export interface ClaimedDelivery {
  readonly id: number;
  /** Null for the question to confirm. */
  readonly issueId: number | null;
  readonly subscriberId: number;
  readonly email: string;
  /** How links name the subscriber. */
  readonly reference: string;
  /** How often it was tried before. */
  readonly attempts: number;
  /** Epoch ms. */
  readonly giveUpAt: number;
}

/** What one claim took: mails to send, and how many were ended without a try. */
interface Claimed {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly expired: number;
  readonly skipped: number;
}

interface ClaimedRow {
  [column: string]: unknown;
  status: 'sending' | 'expired' | 'skipped';
  id: number;
  issue_id: number | null;
  subscriber_id: number;
  email: string;
  reference: string;
  attempts: number;
  give_up_at: string;
}

const LASTS = '60 seconds';

/** Due deliveries that are unclaimed or whose claim has expired. */
const MAY_BE_CLAIMED = `status in ('pending', 'sending') and due_at <= $2::timestamptz
  and (status = 'pending' or claimed_by <> $1 and claimed_until < clock_timestamp())`;

/** In the order of their index alone: a tie broken by id would sort all that are due, each time. */
const CLAIM = `
  with due as (
    select id, issue_id, subscriber_id, give_up_at from mailer.deliveries where ${MAY_BE_CLAIMED}
    order by due_at limit $3::integer for update skip locked
  ), fate as (
    select due.id, subscriber.email, subscriber.reference, case
      when not subscriber.is_active or (subscriber.confirmed_at is null) <> (due.issue_id is null) then 'skipped'
      when due.give_up_at <= $2::timestamptz then 'expired'
      else 'sending' end as status
    from due join public.email_subscribers as subscriber on subscriber.id = due.subscriber_id
  )
  update mailer.deliveries as delivery
  set status = fate.status,
    claimed_by = case fate.status when 'sending' then $1 end,
    claimed_until = case fate.status when 'sending' then clock_timestamp() + interval '${LASTS}' end,
    finished_at = case fate.status when 'sending' then null else $2::timestamptz end
  from fate where delivery.id = fate.id
  returning delivery.status, delivery.id, delivery.issue_id, delivery.subscriber_id, fate.email,
    fate.reference, delivery.attempts, delivery.give_up_at`;

/** Claims at most `count` mails that are due at `now` (epoch ms) for a minute of the database's clock. */
export async function claimDue(
  database: Database,
  { holder, now, count }: { holder: string; now: number; count: number },
): Promise<Claimed> {
  const parameters = [holder, new Date(now).toISOString(), count];
  const rows = await withShortTimeout(database).transaction((transaction) =>
    transaction.query<ClaimedRow>(CLAIM, parameters),
  );
  const countOf = (status: ClaimedRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    deliveries: rows.filter(({ status }) => status === 'sending').map(toDelivery),
    expired: countOf('expired'),
    skipped: countOf('skipped'),
  };
}

function toDelivery(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    issueId: row.issue_id,
    subscriberId: row.subscriber_id,
    email: row.email,
    reference: row.reference,
    attempts: row.attempts,
    giveUpAt: Date.parse(row.give_up_at),
  };
}

/** Makes the holder's claims last another minute. */
export async function renewClaims(database: Database, holder: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await withShortTimeout(database).transaction((transaction) =>
    transaction.query(
      `update mailer.deliveries set claimed_until = clock_timestamp() + interval '${LASTS}'
       where id = any($1::bigint[]) and claimed_by = $2`,
      [`{${ids.join(',')}}`, holder],
    ),
  );
}

/** Gives back what a holder still has claimed, as if it had never been: of a run that failed. */
export async function giveBackClaims(database: Database, holder: string): Promise<void> {
  await withShortTimeout(database).transaction((transaction) =>
    transaction.query(
      `update mailer.deliveries set status = 'pending', claimed_by = null, claimed_until = null
       where status = 'sending' and claimed_by = $1`,
      [holder],
    ),
  );
}

/**
 * Ends what is too old to be tried (again); answers how many that were. What somebody else changes at the moment is left
 * for the next time, as waiting for several at once could go round in a circle.
 */
export async function expireOld(database: Database, now: number): Promise<number> {
  const rows = await withShortTimeout(database).transaction((transaction) =>
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

/** How many mails are not finished, how many of them are due, and when the next one is (epoch ms; null without). */
export async function countLeft(database: Database, now: number) {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<{ left: number; due: number; next: string | null }>(
        `select count(*) as left, count(*) filter (where due_at <= $1::timestamptz) as due, min(due_at) as next
         from mailer.deliveries where status in ('pending', 'sending')`,
        [new Date(now).toISOString()],
      ),
    { readOnly: true },
  );
  return {
    left: row?.left ?? 0,
    due: row?.due ?? 0,
    nextDueAt: row?.next == null ? null : Date.parse(row.next),
  };
}
