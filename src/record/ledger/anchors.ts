import type { X509Certificate } from 'node:crypto';
import { cosignedAt, type VerifierKey } from './checkpoint.ts';
import { type Entry, LedgerError } from './entries.ts';
import { verifyTimestamp } from './timestamp.ts';
import { type LedgerTree, openContained } from './verify-ledger.ts';

export const ANCHOR_KINDS = ['git', 'timestamp', 'witness'] as const;
export type AnchorKind = (typeof ANCHOR_KINDS)[number];

/** A checkpoint that somebody outside has received, and the proof of it. */
export interface Anchor {
  readonly kind: AnchorKind;
  /** The public name of the repository, authority or witness. */
  readonly authority: string;
  readonly checkpoint: string;
  /** The id of the commit, the response of RFC 3161 in base64, or the signature lines of the witness. */
  readonly proof: string;
}

export interface Trust {
  /** The certificates of timestamp authorities; null to accept any signer. */
  readonly certificates: readonly X509Certificate[] | null;
  /** The key of the witness; null to accept any. */
  readonly witness: VerifierKey | null;
}

export interface VerifiedAnchor extends Pick<Anchor, 'kind' | 'authority'> {
  readonly size: number;
  /** The time that a trusted authority has signed (epoch ms); null if there is none. */
  readonly at: number | null;
}

/** Verifies that the ledger has all entries of the anchor's checkpoint, and the anchor's proof. Git proves no time. Throws LedgerError. */
export function verifyAnchor(anchor: Anchor, tree: LedgerTree, trust: Trust): VerifiedAnchor {
  const { kind, authority, checkpoint, proof } = anchor;
  const { size } = openContained(checkpoint, tree, `the ${kind} anchor of ${authority}`);
  const verified = { kind, authority, size };
  if (kind === 'timestamp') {
    const at = verifyTimestamp(Buffer.from(proof, 'base64'), Buffer.from(checkpoint), trust.certificates);
    return { ...verified, at: trust.certificates === null ? null : at };
  }
  if (kind === 'git' || trust.witness === null) return { ...verified, at: null };
  const at = cosignedAt(checkpoint, proof, trust.witness);
  if (at === null)
    throw new LedgerError(
      `The signature of the witness ${authority} is not of a key of --witness, or is invalid.`,
    );
  return { ...verified, at };
}

const SIGNED_WITHIN_MS = 48 * 3_600_000;

/** Returns the Mondays of the weeks without a time signed within two days after their decision, as in a ledger that was written anew. */
export function lateDecisions(entries: readonly Entry[], anchors: readonly VerifiedAnchor[]): string[] {
  return entries.flatMap(({ index, kind, fields }) => {
    if (kind !== 'signal' || fields.origin === 'rebuilt') return [];
    const until = Date.parse(String(fields.decided_at)) + SIGNED_WITHIN_MS;
    const isSigned = anchors.some(({ size, at }) => size > index && at !== null && at <= until);
    return isSigned ? [] : [String(fields.week)];
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Parses `/ledger/anchors.json`. Throws LedgerError. */
export function parseAnchors(text: string): Anchor[] {
  try {
    return (JSON.parse(text) as Record<keyof Anchor, unknown>[]).map(
      ({ kind, authority, checkpoint, proof }) => {
        const known = ANCHOR_KINDS.find((name) => name === kind);
        if (known === undefined || !isText(authority) || !isText(checkpoint) || !isText(proof))
          throw new TypeError();
        return { kind: known, authority, checkpoint, proof };
      },
    );
  } catch (error) {
    throw new LedgerError('The anchors are not a list as in /ledger/anchors.json.', { cause: error });
  }
}
