import {
  type Checkpoint,
  checkpointOrigin,
  openCheckpoint,
  parseVerifierKey,
  type VerifierKey,
} from './checkpoint.ts';
import { download } from './download.ts';
import { type Entry, LedgerError, misplacedEntries, parseEntry } from './entries.ts';
import { type Hash, leafHash, treeHash } from './merkle-tree.ts';
import { entriesOfBundle, tileOfHashes, tilePath, tilesOf } from './tiles.ts';

export interface VerifyOptions {
  /** The address of the site, without a slash at its end. */
  readonly site: string;
  /** A text that contains an older checkpoint, such as a weekly mail. */
  readonly older?: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly now: number;
}

/** Maximum number of entries. A site publishes fewer in three hundred years. */
const MOST_ENTRIES = 1_000_000;

export interface LedgerTree {
  readonly key: VerifierKey;
  readonly leaves: readonly Hash[];
}

/** Returns the checkpoint in a text. Throws LedgerError unless the key signed it and the ledger has all its entries. `name` names it. */
export function openContained(text: string, { key, leaves }: LedgerTree, name: string): Checkpoint {
  const origin = checkpointOrigin(text);
  if (origin === null)
    throw new LedgerError('The file has no checkpoint. Use a weekly mail, or the lines at its end.');
  if (origin !== key.origin) {
    throw new LedgerError(
      `This ledger is ${key.origin}, but ${name} is of ${origin}. The ledger was begun anew, or belongs to another site.`,
    );
  }
  const checkpoint = openCheckpoint(text, key);
  if (checkpoint === null)
    throw new LedgerError(`The signature of ${name} is invalid, because the file was changed.`);
  if (checkpoint.size > leaves.length) {
    throw new LedgerError(
      `The ledger has ${leaves.length} entries, fewer than the ${checkpoint.size} of ${name}. Entries were removed, or a backup was restored.`,
    );
  }
  checkRoot(
    leaves,
    checkpoint,
    `The entries do not match ${name}. An entry was changed after its publication.`,
  );
  return checkpoint;
}

function checkRoot(leaves: readonly Hash[], { size, root }: Checkpoint, failure: string): void {
  if (!Buffer.from(treeHash(leaves.slice(0, size))).equals(root)) throw new LedgerError(failure);
}

/** Downloads and verifies a whole ledger, and the older checkpoint. Throws LedgerError for the first fault. */
export async function verifyLedger({ site, older, fetch, now }: VerifyOptions) {
  const address = `${site}/ledger`;
  const read = (path: string) => download(`${address}/${path}`, fetch);
  const key = parseVerifierKey(String(await read('key')));
  if (key === null) throw new LedgerError(`${address}/key is not a public key. Check the address.`);
  const current = openCheckpoint(String(await read('checkpoint')), key);
  if (current === null) throw new LedgerError('The signature of the current checkpoint is invalid.');
  const { origin, size } = current;
  if (size > MOST_ENTRIES)
    throw new LedgerError(`The checkpoint states ${size} entries, more than a ledger can have.`);
  const tiles = tilesOf(size);
  const leaves: Hash[] = [];
  const entries: Entry[] = [];
  for (const tile of tiles.filter(({ level }) => level === 'entries')) {
    const path = tilePath(tile);
    const bundle = entriesOfBundle(await read(path));
    if (bundle?.length !== tile.width)
      throw new LedgerError(`${path} does not hold ${tile.width} whole entries.`);
    for (const bytes of bundle) {
      entries.push(parseEntry(Buffer.from(bytes).toString(), leaves.length));
      leaves.push(leafHash(bytes));
    }
  }
  checkRoot(
    leaves,
    current,
    'The entries do not match the current checkpoint. An entry was changed or removed.',
  );
  const earlier = older === undefined ? null : openContained(older, { key, leaves }, 'the older checkpoint');
  const [misplaced] = misplacedEntries(entries, now);
  if (misplaced !== undefined) throw new LedgerError(misplaced);
  for (const tile of tiles.filter(({ level }) => level !== 'entries')) {
    const path = tilePath(tile);
    const expected = tileOfHashes(leaves, tile);
    if (expected === null || !(await read(path)).equals(expected)) {
      throw new LedgerError(`${path} does not match the entries.`);
    }
  }
  return { origin, size, entries, key, leaves, olderSize: earlier?.size ?? null };
}
export type VerifiedLedger = Awaited<ReturnType<typeof verifyLedger>>;
