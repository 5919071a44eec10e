import { epochMs, type Transaction } from '#database/port.ts';
import type { AnchorState, DecisionCheckpoint, LedgerAnchors } from '#schema/record-rows.ts';
import type { Anchor } from './anchors.ts';

/** An anchor, and the time at which its place received the checkpoint (ISO). */
export type StoredAnchor = Anchor & { readonly anchoredAt: string };

export function readAnchors(transaction: Transaction): Promise<StoredAnchor[]> {
  return transaction.query<StoredAnchor>(
    `select kind, authority, content ->> 'checkpoint' as checkpoint, proof,
       to_char(anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "anchoredAt"
     from archive.anchors as anchor join mailer.messages as message on message.id = message_id
     order by anchor.id`,
  );
}

/** Reads the state of each place that was configured for the newest checkpoint with anchors. */
export function readAnchorStates(transaction: Transaction): Promise<AnchorState[]> {
  return transaction.query<AnchorState>(
    `select target as kind, status, attempts, reply, authority,
       ${epochMs('anchored_at')} as "anchoredAt"
     from mailer.deliveries as delivery left join lateral (
       select authority, anchored_at from archive.anchors where kind = target order by id desc limit 1
     ) as newest on true
     where message_id = (
       select max(message_id) from mailer.deliveries where channel = 'anchor'
     ) order by target`,
  );
}

/** Reads the checkpoints of the two newest decisions, newest first. */
function readCheckpoints(transaction: Transaction): Promise<DecisionCheckpoint[]> {
  return transaction.query<DecisionCheckpoint>(
    `select name as week, content ->> 'checkpoint' as checkpoint,
       (select string_agg(proof, '') from archive.anchors where message_id = message.id and kind = 'witness') as lines
     from mailer.messages as message where channel = 'anchor' order by id desc limit 2`,
  );
}

export async function readLedgerAnchors(transaction: Transaction): Promise<LedgerAnchors> {
  return {
    checkpoints: await readCheckpoints(transaction),
    places: await readAnchorStates(transaction),
  };
}
