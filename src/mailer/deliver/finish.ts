import { brief } from '#database/brief.ts';
import type { Database, Transaction } from '#database/port.ts';
import { nextTry } from './backoff.ts';
import type { ClaimedDelivery } from './claims.ts';
import type { Outcome } from './outcome.ts';

/** What became of a mail after a try: `released` is as if there had been none. */
export type Finished = 'sent' | 'refused' | 'later' | 'expired' | 'released';

/** So long nobody else tries what one connection was just sent away with. */
const RELEASED_FOR_MS = 30_000;
/** An address refused for so many issues in a row gets no more. */
const REFUSALS = 3;

interface Change {
  readonly status: Finished;
  readonly smtpStatus: string | null;
  readonly isAddress: boolean;
  readonly dueAt: number | null;
  readonly giveUpAt: number | null;
}

/** What an outcome makes of a delivery's row; pure. */
function changeAfter(outcome: Outcome, delivery: ClaimedDelivery, now: number): Change {
  const change = { smtpStatus: null, isAddress: false, dueAt: null, giveUpAt: null };
  switch (outcome.result) {
    case 'sent':
      return { ...change, status: 'sent' };
    case 'refused': {
      const { smtpStatus, isAddress } = outcome;
      return { ...change, status: 'refused', smtpStatus, isAddress };
    }
    case 'away':
      return { ...change, status: 'released', dueAt: now + RELEASED_FOR_MS };
    case 'later': {
      const { smtpStatus } = outcome;
      const next = nextTry({ tries: delivery.attempts + 1, now, giveUpAt: delivery.giveUpAt });
      return next === null
        ? { ...change, status: 'expired', smtpStatus }
        : { ...change, status: 'later', smtpStatus, ...next };
    }
  }
}

const STATUS_OF = {
  sent: 'sent',
  refused: 'refused',
  expired: 'expired',
  later: 'pending',
  released: 'pending',
} as const satisfies Record<Finished, string>;

/**
 * Writes down how the try of a claimed mail ended, durably; suspends the subscriber when the address was refused for
 * the third issue in a row. Changes nothing when the claim is another's by now, or the subscriber erased.
 */
export async function finish(
  database: Database,
  {
    holder,
    delivery,
    outcome,
    now,
  }: { holder: string; delivery: ClaimedDelivery; outcome: Outcome; now: number },
): Promise<Finished> {
  const change = changeAfter(outcome, delivery, now);
  await brief(database).transaction(
    async (transaction) => {
      // Before the delivery's row, as whoever erases or unsubscribes does: two orders would wait for each other.
      if (change.isAddress) await lockSubscriber(transaction, delivery);
      await writeChange(transaction, { holder, delivery, change, now });
      if (change.isAddress) await suspendTheRefused(transaction, delivery, now);
    },
    { durable: true },
  );
  return change.status;
}

const toText = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

async function writeChange(
  transaction: Transaction,
  {
    holder,
    delivery,
    change,
    now,
  }: { holder: string; delivery: ClaimedDelivery; change: Change; now: number },
): Promise<void> {
  const isOver = STATUS_OF[change.status] !== 'pending';
  await transaction.query(
    `update mailer.deliveries set status = $3, attempts = attempts + $4::integer, smtp_status = coalesce($5, smtp_status),
       address_refused = $6::boolean, due_at = coalesce($7::timestamptz, due_at),
       give_up_at = coalesce($8::timestamptz, give_up_at), finished_at = $9::timestamptz,
       claimed_by = null, claimed_until = null
     where id = $1 and claimed_by = $2 and status = 'sending'`,
    [
      delivery.id,
      holder,
      STATUS_OF[change.status],
      change.status === 'released' ? 0 : 1,
      change.smtpStatus,
      change.isAddress,
      toText(change.dueAt),
      toText(change.giveUpAt),
      isOver ? toText(now) : null,
    ],
  );
}

async function lockSubscriber(transaction: Transaction, { subscriberId }: ClaimedDelivery): Promise<void> {
  await transaction.query('select from public.email_subscribers where id = $1 for update', [subscriberId]);
}

async function suspendTheRefused(
  transaction: Transaction,
  { subscriberId }: ClaimedDelivery,
  now: number,
): Promise<void> {
  await transaction.query(
    `update public.email_subscribers set is_active = false, deactivated_at = $2::timestamptz,
       deactivated_because = 'address refused'
     where id = $1 and is_active and (
       select count(*) filter (where address_refused) from (
         select address_refused from mailer.deliveries
         where subscriber_id = $1 and issue_id is not null and status in ('sent', 'refused')
         order by issue_id desc limit ${REFUSALS}
       ) as newest
     ) = ${REFUSALS}`,
    [subscriberId, new Date(now).toISOString()],
  );
}
