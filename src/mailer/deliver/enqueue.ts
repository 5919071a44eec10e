import type { Transaction } from '#database/port.ts';
import type { Channel, Message } from './deliveries.ts';

interface NewMessage extends Message {
  /** The issue or the change of the verdict that the message is about. */
  readonly about: { readonly issueId: number } | { readonly changeId: number };
  /** Time at which the deliveries are due (ISO text). */
  readonly at: string;
}

/** A transaction that inserts one row per subscriber. */
export const ENQUEUE = { durable: true, statementTimeoutMs: 3_600_000 } as const;

/** The first attempt to mail an issue must start within this time. */
const ISSUE_LIFETIME = '48 hours';
/** Lifetime of a call, and of a mail about a change. The next change or decision replaces an older one. */
export const CALL_LIFETIME = '24 hours';

const idsOf = (about: NewMessage['about']): [issueId: number | null, changeId: number | null] =>
  'issueId' in about ? [about.issueId, null] : [null, about.changeId];

/** Adds a message. Returns its id; null if the channel already has a message about the same issue or change. */
async function addMessage(
  transaction: Transaction,
  channel: Channel,
  { about, name, content }: NewMessage,
): Promise<number | null> {
  const [row] = await transaction.query<{ id: number }>(
    `insert into mailer.messages (channel, issue_id, change_id, name, content) values ($1, $2, $3, $4, $5::json)
     on conflict do nothing returning id`,
    [channel, ...idsOf(about), name, JSON.stringify(content)],
  );
  return row?.id ?? null;
}

/**
 * Adds the mail about an issue or a change once, with a delivery per active, confirmed subscriber, about a change only if
 * they opted in. Locks the subscribers, so that none is deleted meanwhile. Returns the number of deliveries.
 */
export async function addMails(transaction: Transaction, message: NewMessage): Promise<number> {
  const messageId = await addMessage(transaction, 'mail', message);
  if (messageId === null) return 0;
  const isAlert = 'changeId' in message.about;
  const [row] = await transaction.query<{ count: number }>(
    `with added as (
       insert into mailer.deliveries (channel, message_id, subscriber_id, due_at, give_up_at)
       select 'mail', $1, id, $2::timestamptz, $2::timestamptz + $3::interval from public.email_subscribers
       where is_active and confirmed_at is not null and (alerts or not $4::boolean) order by id for key share
       returning 1
     ) select count(*) as count from added`,
    [messageId, message.at, isAlert ? CALL_LIFETIME : ISSUE_LIFETIME, isAlert],
  );
  return row?.count ?? 0;
}

/** SQL condition: the channel lacks a message that meets `about`, or one of the targets `$2` lacks its delivery. */
export const lacksMessage = (about: string, channel: Channel): string => `(
    not exists (select from mailer.messages where ${about} and channel = '${channel}')
    or exists (select from unnest($2::text[]) as wanted where not exists (
      select from mailer.deliveries join mailer.messages as message on message.id = message_id
      where ${about} and target = wanted)))`;

/** Adds a message, and one call for each target that has none. */
export async function addCalls(
  transaction: Transaction,
  channel: Channel,
  { targets, ...message }: NewMessage & { readonly targets: readonly string[] },
): Promise<void> {
  await addMessage(transaction, channel, message);
  await transaction.query(
    `insert into mailer.deliveries (channel, message_id, target, due_at, give_up_at)
     select $1, id, wanted, $2::timestamptz, $2::timestamptz + interval '${CALL_LIFETIME}'
     from mailer.messages cross join unnest($3::text[]) as wanted
     where channel = $1 and (issue_id = $4 or change_id = $5) on conflict do nothing`,
    [channel, message.at, targets, ...idsOf(message.about)],
  );
}
