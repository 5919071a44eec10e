import { type Database, readOnce, type Transaction } from '#database/port.ts';
import type { Channel } from './deliveries.ts';

/** A message for all recipients of a channel. */
export interface Message<Content> {
  /** Identifies the message for its recipients. */
  readonly name: string;
  readonly content: Content;
}

interface NewMessage extends Message<object> {
  readonly channel: Channel;
  /** The issue or the change of the verdict that the message is about. */
  readonly about: { readonly issueId: number } | { readonly changeId: number };
}

/** A transaction that inserts one row per subscriber. */
export const ENQUEUE = { durable: true, statementTimeoutMs: 3_600_000 } as const;

const idsOf = (about: NewMessage['about']): [issueId: number | null, changeId: number | null] =>
  'issueId' in about ? [about.issueId, null] : [null, about.changeId];

/** Adds a message. Returns its id; null if the channel already has a message about the same issue or change. */
export async function addMessage(
  transaction: Transaction,
  { channel, about, name, content }: NewMessage,
): Promise<number | null> {
  const [row] = await transaction.query<{ id: number }>(
    `insert into mailer.messages (channel, issue_id, change_id, name, content) values ($1, $2, $3, $4, $5::json)
     on conflict do nothing returning id`,
    [channel, ...idsOf(about), name, JSON.stringify(content)],
  );
  return row?.id ?? null;
}

interface Enqueueing {
  readonly messageId: number;
  /** Time at which the mails are due (ISO text). */
  readonly at: string;
  /** The first attempt must start within this interval of Postgres. */
  readonly within: string;
  /** True to leave out subscribers who did not opt in to alerts. */
  readonly isAlert: boolean;
}

/** Enqueues a mail per active, confirmed subscriber, locked so that none is deleted meanwhile. Returns their number. */
export async function enqueueMails(
  transaction: Transaction,
  { messageId, at, within, isAlert }: Enqueueing,
): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(
    `with added as (
       insert into mailer.deliveries (channel, message_id, subscriber_id, due_at, give_up_at)
       select 'mail', $1, id, $2::timestamptz, $2::timestamptz + $3::interval from public.email_subscribers
       where is_active and confirmed_at is not null and (alerts or not $4::boolean) order by id for key share
       returning 1
     ) select count(*) as count from added`,
    [messageId, at, within, isAlert],
  );
  return row?.count ?? 0;
}

interface NewCalls extends NewMessage {
  readonly targets: readonly string[];
  /** Time at which the calls are due (ISO text). */
  readonly at: string;
}

/** Lifetime of a call. The next change or decision replaces an older one. */
export const CALL_LIFETIME = '24 hours';

/** SQL condition: the channel lacks a message that meets `about`, or one of the targets `$2` lacks its delivery. */
export const lacksMessage = (about: string, channel: Channel): string => `(
    not exists (select from mailer.messages where ${about} and channel = '${channel}')
    or exists (select from unnest($2::text[]) as wanted where not exists (
      select from mailer.deliveries join mailer.messages as message on message.id = message_id
      where ${about} and target = wanted)))`;

/** Adds a message, and one call for each target that has none. */
export async function addCalls(
  transaction: Transaction,
  { targets, at, ...message }: NewCalls,
): Promise<void> {
  await addMessage(transaction, message);
  await transaction.query(
    `insert into mailer.deliveries (channel, message_id, target, due_at, give_up_at)
     select $1, id, wanted, $2::timestamptz, $2::timestamptz + interval '${CALL_LIFETIME}'
     from mailer.messages cross join unnest($3::text[]) as wanted
     where channel = $1 and (issue_id = $4 or change_id = $5) on conflict do nothing`,
    [message.channel, at, targets, ...idsOf(message.about)],
  );
}

/** Reads a message by its id, each once. Rejects if it does not exist. */
export function createMessageReader<Content>(database: Database): (id: number) => Promise<Message<Content>> {
  const messages = new Map<number, Promise<Message<Content>>>();
  const read = async (id: number): Promise<Message<Content>> => {
    const [row] = await readOnce<Message<Content>>(
      database,
      'select name, content from mailer.messages where id = $1',
      [id],
    );
    if (row === undefined) throw new Error(`Message ${id} is missing in mailer.messages.`);
    return row;
  };
  return (id) => {
    const message = messages.get(id) ?? read(id);
    messages.set(id, message);
    return message;
  };
}
