import { createHash } from 'node:crypto';

/** A SHA-256 hash: 32 bytes. */
export type Hash = Uint8Array;

export function leafHash(entry: Uint8Array): Hash {
  return createHash('sha256').update(Uint8Array.of(0)).update(entry).digest();
}

function nodeHash(left: Hash, right: Hash): Hash {
  return createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();
}

/** Returns the root hash of the Merkle tree with these leaf hashes (RFC 6962, section 2.1). */
export function treeHash(leaves: readonly Hash[]): Hash {
  const [first] = leaves;
  if (first === undefined) return createHash('sha256').digest();
  if (leaves.length === 1) return first;
  const left = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return nodeHash(treeHash(leaves.slice(0, left)), treeHash(leaves.slice(left)));
}

/** Returns the consistency proof between the tree of the first `size` leaves and the whole tree (RFC 6962, section 2.1.2). */
export function consistencyProof(leaves: readonly Hash[], size: number): Hash[] {
  const prove = (part: readonly Hash[], from: number, isWhole: boolean): Hash[] => {
    if (from === part.length) return isWhole ? [] : [treeHash(part)];
    const middle = 2 ** Math.floor(Math.log2(part.length - 1));
    const [left, right] = [part.slice(0, middle), part.slice(middle)];
    return from <= middle
      ? [...prove(left, from, isWhole), treeHash(right)]
      : [...prove(right, from - middle, false), treeHash(left)];
  };
  return size === 0 ? [] : prove(leaves, size, true);
}
