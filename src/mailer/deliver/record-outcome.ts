import type { Database } from '#database/port.ts';
import type { ClaimedDelivery } from './claims.ts';

/**
 * Outcome of one attempt to send a delivery. `reply` is the reply of the server, such as '550 5.1.1'; null without a reply.
 * - `refused`: the server refuses the delivery permanently (5xx). `isAddress` is true if the address of the recipient is the
 *   cause, and false if the mail or the sender is.
 * - `later`: a later attempt may succeed (4xx, connection lost). `reason` is one plain sentence for the operator; it is
 *   missing if the mail server is the cause.
 * - `away`: the server accepts no mails at the moment (unreachable, login or sender refused, 421), and this mail is not the
 *   cause. `reason` is one plain sentence without address or password.
 */
export type AttemptOutcome =
  | { readonly result: 'sent' }
  | { readonly result: 'refused'; readonly reply: string | null; readonly isAddress: boolean }
  | { readonly result: 'later'; readonly reply: string | null; readonly reason?: string }
  | { readonly result: 'away'; readonly reply: string | null; readonly reason: string };

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
 * Returns the time of the next attempt of a delivery that failed at `now`, and the time at which it expires (epoch ms).
 * Null if it expires now. The pauses are 1, 2, 4, … minutes, at most 2 hours, for a day from the first failure. `tries`
 * includes the failed attempt. `giveUpAt` is a column of the row: until the first failure, the first attempt must start
 * before that time.
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
/** If a subscriber's address was refused for this many issues and alerts in a row, the subscriber is suspended. */
const REFUSALS = 3;

/** The new values of a delivery's row. Missing ones do not change. */
interface Change {
  readonly status: Recorded;
  readonly reply?: string | null;
  readonly isAddress?: boolean;
  readonly dueAt?: number;
  readonly giveUpAt?: number;
}

function changeAfter(outcome: AttemptOutcome, { attempts, giveUpAt }: ClaimedDelivery, now: number): Change {
  switch (outcome.result) {
    case 'sent':
      return { status: 'sent' };
    case 'refused':
      return { status: 'refused', reply: outcome.reply, isAddress: outcome.isAddress };
    case 'away':
      return { status: 'released', dueAt: now + RELEASE_DELAY_MS };
    case 'later': {
      const next = nextTry({ tries: attempts + 1, now, giveUpAt });
      return { status: next === null ? 'expired' : 'later', reply: outcome.reply, ...next };
    }
  }
}

interface Attempt {
  readonly holder: string;
  readonly delivery: ClaimedDelivery;
  readonly outcome: AttemptOutcome;
  /** End of the attempt (epoch ms). */
  readonly now: number;
}

/**
 * Records the outcome of a claimed delivery durably. Suspends the subscriber if the address was refused for the third
 * issue or alert in a row. Does not change the delivery if another process has claimed it since, or if the subscriber was
 * erased: then returns 'sent' if the message was sent, otherwise 'released', because this run does not decide the result.
 */
export async function recordOutcome(
  database: Database,
  { holder, delivery, outcome, now }: Attempt,
): Promise<Recorded> {
  const { status, reply = null, isAddress = false, dueAt, giveUpAt } = changeAfter(outcome, delivery, now);
  const { id, subscriberId } = delivery;
  const isPending = status === 'later' || status === 'released';
  const tries = status === 'released' ? 0 : 1;
  const change = [id, holder, isPending ? 'pending' : status, tries, reply, isAddress];
  const changed = await database.transaction(
    async (transaction) => {
      // Locks the subscriber before the delivery, because erasing and unsubscribing lock them in this order. Another
      // order could cause a deadlock.
      if (isAddress) await transaction.query(LOCK_SUBSCRIBER, [subscriberId]);
      const rows = await transaction.query(CHANGE, [
        ...change,
        toText(dueAt),
        toText(giveUpAt),
        isPending ? null : toText(now),
      ]);
      if (isAddress) await transaction.query(SUSPEND_IF_REFUSED, [subscriberId, toText(now)]);
      return rows;
    },
    { durable: true },
  );
  return changed.length > 0 || status === 'sent' ? status : 'released';
}

const toText = (instant: number | undefined) =>
  instant === undefined ? null : new Date(instant).toISOString();

const CHANGE = `update mailer.deliveries set status = $3, attempts = attempts + $4::integer,
     reply = coalesce($5, reply), address_refused = $6::boolean, due_at = coalesce($7::timestamptz, due_at),
     give_up_at = coalesce($8::timestamptz, give_up_at), finished_at = $9::timestamptz,
     claimed_by = null, claimed_until = null
   where id = $1 and claimed_by = $2 and status = 'sending' returning id`;

const LOCK_SUBSCRIBER = 'select from public.email_subscribers where id = $1 for update';

const SUSPEND_IF_REFUSED = `update public.email_subscribers set is_active = false, deactivated_at = $2::timestamptz,
     deactivated_because = 'address refused'
   where id = $1 and is_active and (
     select count(*) filter (where address_refused) from (
       select address_refused from mailer.deliveries
       where subscriber_id = $1 and message_id is not null and status in ('sent', 'refused')
       order by id desc limit ${REFUSALS}
     ) as newest
   ) = ${REFUSALS}`;
