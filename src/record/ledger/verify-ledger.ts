import {
  type Checkpoint,
  checkpointOrigin,
  openCheckpoint,
  parseVerifierKey,
  type VerifierKey,
} from './checkpoint.ts';
import { download, siteOf } from './download.ts';
import { type Entry, LedgerError, misplacedEntries, parseEntry } from './entries.ts';
import { type Hash, leafHash, treeHash } from './merkle-tree.ts';
import { entriesOfBundle, tileOfHashes, tilePath, tilesOf } from './tiles.ts';

/** The result of a verification in which every check passed. */
export interface VerifiedLedger {
  readonly origin: string;
  readonly size: number;
  readonly entries: readonly Entry[];
  /** Number of entries of the older checkpoint; null if no older checkpoint was given. */
  readonly olderSize: number | null;
}

export interface VerifyOptions {
  /** The address of the site, or of the ledger on the site. */
  readonly url: string;
  /** A text that contains an older checkpoint, such as a weekly mail. */
  readonly older?: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** The current time (epoch milliseconds). */
  readonly now: number;
}

/** Maximum number of entries. A site publishes fewer in three hundred years. */
const MOST_ENTRIES = 1_000_000;

/** Returns the older checkpoint. Throws LedgerError if the text has no checkpoint, or one of another ledger. */
function openOlder(text: string, key: VerifierKey): Checkpoint {
  const origin = checkpointOrigin(text);
  if (origin === null)
    throw new LedgerError('The file has no checkpoint. Use a weekly mail, or the lines at its end.');
  if (origin !== key.origin) {
    throw new LedgerError(
      `The checkpoint is of ${origin}, but this ledger is ${key.origin}. The ledger was begun anew, or belongs to another site.`,
    );
  }
  const older = openCheckpoint(text, key);
  if (older === null)
    throw new LedgerError('The signature of the older checkpoint is invalid, because the file was changed.');
  return older;
}

function checkRoot(leaves: readonly Hash[], { size, root }: Checkpoint, failure: string): void {
  if (!Buffer.from(treeHash(leaves.slice(0, size))).equals(root)) throw new LedgerError(failure);
}

/**
 * Downloads a whole ledger and verifies the signature of its checkpoint, each entry and its place, each tile, and the
 * older checkpoint if there is one. Throws LedgerError for the first check that fails.
 */
export async function verifyLedger({ url, older, fetch, now }: VerifyOptions): Promise<VerifiedLedger> {
  const address = `${siteOf(url)}/ledger`;
  const read = (path: string) => download(`${address}/${path}`, fetch);
  const key = parseVerifierKey(String(await read('key')));
  if (key === null) throw new LedgerError(`${address}/key is not a public key. Check the address.`);
  const current = openCheckpoint(String(await read('checkpoint')), key);
  if (current === null) throw new LedgerError('The signature of the current checkpoint is invalid.');
  const { origin, size } = current;
  if (size > MOST_ENTRIES)
    throw new LedgerError(`The checkpoint states ${size} entries, more than a ledger can have.`);
  const earlier = older === undefined ? null : openOlder(older, key);
  if (earlier !== null && earlier.size > size) {
    throw new LedgerError(
      `The ledger has ${size} entries, fewer than the ${earlier.size} of the older checkpoint. Entries were removed, or a backup was restored.`,
    );
  }
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
  if (earlier !== null) {
    checkRoot(
      leaves,
      earlier,
      'The entries do not match the older checkpoint. An entry was changed after its publication.',
    );
  }
  const [misplaced] = misplacedEntries(entries, now);
  if (misplaced !== undefined) throw new LedgerError(misplaced);
  for (const tile of tiles.filter(({ level }) => level !== 'entries')) {
    const path = tilePath(tile);
    const expected = tileOfHashes(leaves, tile);
    if (expected === null || !(await read(path)).equals(expected)) {
      throw new LedgerError(`${path} does not match the entries.`);
    }
  }
  return { origin, size, entries, olderSize: earlier?.size ?? null };
}
