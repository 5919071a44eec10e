import type { Database, Transaction } from '#database/port.ts';
import type { Channel } from './claims.ts';

/** A message for all recipients of a channel. */
export interface Message<Content> {
  /** Identifies the message for its recipients. */
  readonly name: string;
  readonly content: Content;
}

interface NewMessage extends Message<object> {
  readonly channel: Channel;
  /** The subject of the message: an issue, or a change of the verdict. */
  readonly about: { readonly issueId: number } | { readonly changeId: number };
}

/** Time limit of a transaction that inserts one row per subscriber (ms). */
export const ENQUEUE_TIMEOUT_MS = 3_600_000;

/** Adds a message. Returns its id; null if the channel already has a message with the same subject. */
export async function addMessage(
  transaction: Transaction,
  { channel, about, name, content }: NewMessage,
): Promise<number | null> {
  const { issueId = null, changeId = null } = { issueId: undefined, changeId: undefined, ...about };
  const [row] = await transaction.query<{ id: number }>(
    `insert into mailer.messages (channel, issue_id, change_id, name, content) values ($1, $2, $3, $4, $5::json)
     on conflict do nothing returning id`,
    [channel, issueId, changeId, name, JSON.stringify(content)],
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

/**
 * Enqueues one mail for each active, confirmed subscriber. Locks the subscribers. Otherwise another transaction could
 * delete one, which would violate the foreign key. Returns the number of mails.
 */
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

/**
 * Returns a function that reads a message by its id, each message once. The function rejects with the database's error,
 * or if the message does not exist.
 */
export function createMessageReader<Content>(database: Database): (id: number) => Promise<Message<Content>> {
  const messages = new Map<number, Promise<Message<Content>>>();
  const read = async (id: number): Promise<Message<Content>> => {
    const [row] = await database.transaction(
      (transaction) =>
        transaction.query<Message<Content> & Record<string, unknown>>(
          'select name, content from mailer.messages where id = $1',
          [id],
        ),
      { readOnly: true },
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
