import type { Database } from '#database/port.ts';
import type { AnchorService } from '#record/ledger/anchor-services.ts';
import { LedgerError } from '#record/ledger/entries.ts';
import { readCheckpoint, readTree } from '#record/ledger/served-ledger.ts';
import type { ClaimedDelivery } from '../deliver/claims.ts';
import { addMessage, createMessageReader } from '../deliver/messages.ts';
import type { Sender } from '../deliver/send-due.ts';

/** The checkpoint of the next decision contains all entries of this one, so an older one is not sent. */
const LIFETIME = '24 hours';

/** The newest decision, if it has no checkpoint yet, or no delivery to one of the places `$2`. */
const NEW_DECISION = `select id, week from (
    select id, week::text as week from mailer.issued_signals
    where decided_at <= $1::timestamptz + interval '1 hour' order by week desc limit 1
  ) as newest
  where not exists (select from mailer.messages where issue_id = newest.id and channel = 'anchor')
    or exists (select from unnest($2::text[]) as wanted where not exists (
      select from mailer.deliveries join mailer.messages as message on message.id = message_id
      where issue_id = newest.id and target = wanted))`;

const ENQUEUE = `insert into mailer.deliveries (channel, message_id, target, due_at, give_up_at)
  select 'anchor', id, wanted, $2::timestamptz, $2::timestamptz + interval '${LIFETIME}'
  from mailer.messages cross join unnest($3::text[]) as wanted where issue_id = $1 and channel = 'anchor'
  on conflict do nothing`;

interface AnchorOptions {
  /** The kinds of the configured places. */
  readonly kinds: readonly string[];
  /** The current time (epoch ms). */
  readonly now: number;
}

/**
 * Records the checkpoint of the ledger after the newest decision, with a delivery to each configured place. If two
 * processes do this at the same time, each is added once.
 */
export async function enqueueAnchors(database: Database, { kinds, now }: AnchorOptions): Promise<void> {
  const at = new Date(now).toISOString();
  const targets = `{${kinds.join(',')}}`;
  const [issue] = await database.transaction(
    (transaction) => transaction.query<{ id: number; week: string }>(NEW_DECISION, [at, targets]),
    { readOnly: true },
  );
  if (issue === undefined) return;
  await database.transaction(
    async (transaction) => {
      const checkpoint = await readCheckpoint(transaction);
      if (checkpoint === null) return;
      const about = { issueId: issue.id };
      await addMessage(transaction, { channel: 'anchor', about, name: issue.week, content: { checkpoint } });
      await transaction.query(ENQUEUE, [issue.id, at, targets]);
    },
    { durable: true },
  );
}

interface AnchorSenderOptions {
  readonly database: Database;
  readonly services: readonly AnchorService[];
}

const STORE = `insert into archive.anchors (message_id, kind, authority, proof, anchored_at)
  values ($1, $2, $3, $4, $5) on conflict do nothing`;

/** Creates the sender of checkpoints. A failed attempt is retried, and its sentence is the reply of the delivery. */
export function createAnchorSender({ database, services }: AnchorSenderOptions): Sender {
  const readMessage = createMessageReader<{ checkpoint: string }>(database);

  async function anchor({ recipient, messageId }: ClaimedDelivery): Promise<void> {
    const service = services.find(({ kind }) => kind === recipient);
    if (service === undefined || messageId === null) throw new Error('The anchor is not configured.');
    const { checkpoint } = (await readMessage(messageId)).content;
    const tree = await database.transaction(readTree, { readOnly: true });
    if (tree === null) throw new Error('The ledger is empty. Restore the database from a backup.');
    const { proof, at } = await service.anchor(checkpoint, tree);
    const row = [messageId, service.kind, service.authority, proof, new Date(at).toISOString()];
    await database.transaction((transaction) => transaction.query(STORE, row), { durable: true });
  }

  return {
    channel: 'anchor',
    targets: services.map(({ kind }) => kind),
    connections: services.length,
    refusal: async () => null,
    async send(delivery) {
      try {
        await anchor(delivery);
        return { result: 'sent' };
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        return { result: 'later', reply: error.message, reason: error.message };
      }
    },
  };
}
