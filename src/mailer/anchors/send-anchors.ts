import { type Database, DURABLE, queryOnce, READ_ONLY, readOnce } from '#database/port.ts';
import type { AnchorService } from '#record/ledger/anchor-services.ts';
import { LedgerError } from '#record/ledger/entries.ts';
import { readCheckpoint, readTree } from '#record/ledger/served-ledger.ts';
import type { ClaimedDelivery, Message } from '../deliver/deliveries.ts';
import { addCalls, lacksMessage } from '../deliver/enqueue.ts';
import type { Sender } from '../deliver/send-due.ts';

/** The newest decision, if it has no checkpoint yet, or no delivery to one of the places `$2`. */
const NEW_DECISION = `select id, week from (
    select id, week::text as week from mailer.issued_signals
    where decided_at <= $1::timestamptz + interval '1 hour' order by week desc limit 1
  ) as newest
  where ${lacksMessage('issue_id = newest.id', 'anchor')}`;

/** Records the checkpoint after the newest decision once, with a delivery to each configured place (`kinds`). */
export async function enqueueAnchors(
  database: Database,
  { kinds, now }: { readonly kinds: readonly string[]; readonly now: number },
): Promise<void> {
  const at = new Date(now).toISOString();
  const [issue] = await readOnce<{ id: number; week: string }>(database, NEW_DECISION, [at, kinds]);
  if (issue === undefined) return;
  await database.transaction(async (transaction) => {
    const checkpoint = await readCheckpoint(transaction);
    if (checkpoint === null) return;
    const message = { about: { issueId: issue.id }, name: issue.week, content: { checkpoint } };
    await addCalls(transaction, 'anchor', { targets: kinds, at, ...message });
  }, DURABLE);
}

const STORE = `insert into archive.anchors (message_id, kind, authority, proof, anchored_at)
  values ($1, $2, $3, $4, $5) on conflict do nothing`;

/** Creates the sender of checkpoints. A failed attempt is retried, and its sentence is the reply of the delivery. */
export function createAnchorSender({
  database,
  services,
  signal,
}: {
  readonly database: Database;
  readonly services: readonly AnchorService[];
  readonly signal?: AbortSignal;
}): Sender {
  async function anchor({ recipient, messageId }: ClaimedDelivery, { content }: Message): Promise<void> {
    const service = services.find(({ kind }) => kind === recipient);
    if (service === undefined) throw new Error('The anchor is not configured.');
    const { checkpoint } = content as { checkpoint: string };
    const tree = await database.transaction(readTree, READ_ONLY);
    if (tree === null) throw new Error('The ledger is empty. Restore the database from a backup.');
    const { proof, at } = await service.anchor(checkpoint, tree);
    const row = [messageId, service.kind, service.authority, proof, new Date(at).toISOString()];
    await queryOnce(database, STORE, row, DURABLE);
  }

  return {
    channel: 'anchor',
    targets: services.map(({ kind }) => kind),
    connections: services.length,
    async send(delivery, message) {
      try {
        await anchor(delivery, message);
        return { result: 'sent' };
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        if (signal?.aborted) return { result: 'unavailable', reason: 'The process ended.' };
        return { result: 'later', reply: error.message, reason: error.message };
      }
    },
  };
}
