import { canonicalJson, type JsonValue } from './canonical-json.ts';
import {
  type Checkpoint,
  openCheckpoint,
  originOf,
  parseVerifierKey,
  type VerifierKey,
} from './checkpoint.ts';
import { type Hash, leafHash, treeHash } from './merkle-tree.ts';
import { entriesOfBundle, tileOfHashes, tilePath, tilesOf } from './tiles.ts';

/** The ledger differs from the published one, or cannot be verified. The message is one plain sentence. */
export class LedgerError extends Error {
  override name = 'LedgerError';
}

/** The result of a verification in which every check passed. */
export interface VerifiedLedger {
  readonly origin: string;
  readonly size: number;
  /** Number of entries of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Number of entries of the older checkpoint; null if no older checkpoint was given. */
  readonly olderSize: number | null;
}

interface VerifyOptions {
  /** The address of the site, or of the ledger on the site. */
  readonly url: string;
  /** A text that contains an older checkpoint, such as a weekly mail. */
  readonly older?: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

/** Maximum length of a file (bytes). The longest bundle is shorter. */
const LONGEST_FILE = 256 * 65_537;
/** Maximum number of entries. A site publishes fewer in a thousand years. */
const MOST_ENTRIES = 1_000_000;
const TIMEOUT_MS = 30_000;

function addressOf(url: string): string {
  const site = URL.canParse(url) ? new URL(url) : null;
  if (site === null || !/^https?:$/.test(site.protocol)) {
    throw new LedgerError(`"${url}" is no web address: give one such as https://example.com.`);
  }
  const path = site.pathname.replace(/\/+$/, '');
  return `${site.origin}${path.endsWith('/ledger') ? path : `${path}/ledger`}`;
}

async function readLimited(response: Response, address: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > LONGEST_FILE) throw new LedgerError(`${address} is longer than any file of a ledger.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function download(address: string, fetch: VerifyOptions['fetch']): Promise<Buffer> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return await readLimited(response, address);
    await response.body?.cancel();
    throw new LedgerError(`${address} responds ${response.status}, so this file of the ledger is missing.`);
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    throw new LedgerError(`${address} cannot be read. Check the address and the connection.`, {
      cause: error,
    });
  }
}

/** Returns the older checkpoint. Throws LedgerError if the text has no checkpoint, or one of another ledger. */
function openOlder(text: string, key: VerifierKey): Checkpoint {
  const origin = originOf(text);
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

interface Entry {
  readonly kind: string;
  readonly week?: unknown;
}

function parseEntry(bytes: Uint8Array, index: number): Entry {
  const text = Buffer.from(bytes).toString();
  let entry: JsonValue = null;
  try {
    entry = JSON.parse(text);
  } catch {
    // The entry is not valid JSON. The check below refuses it.
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry) || canonicalJson(entry) !== text) {
    throw new LedgerError(`Entry ${index} is not in canonical form.`);
  }
  const { kind, week } = entry as Readonly<Record<string, JsonValue>>;
  if (typeof kind !== 'string') throw new LedgerError(`Entry ${index} has no kind.`);
  return { kind, week };
}

/** Throws LedgerError if a week was decided twice, or was graded without a decision. */
function checkWeeks(entries: readonly Entry[]): void {
  const decided = new Set<unknown>();
  entries.forEach(({ kind, week }, index) => {
    if (kind === 'signal') {
      if (decided.has(week))
        throw new LedgerError(`Entry ${index} decides the week of ${week} a second time.`);
      decided.add(week);
    } else if (kind === 'grade' && !decided.has(week)) {
      throw new LedgerError(`Entry ${index} grades the week of ${week}, which the ledger never decided.`);
    }
  });
}

function checkRoot(leaves: readonly Hash[], { size, root }: Checkpoint, failure: string): void {
  if (!Buffer.from(treeHash(leaves.slice(0, size))).equals(root)) throw new LedgerError(failure);
}

/**
 * Downloads a whole ledger and verifies the signature of its checkpoint, each entry, each tile, and the older
 * checkpoint if there is one. Throws LedgerError for the first check that fails.
 */
export async function verifyLedger({ url, older, fetch }: VerifyOptions): Promise<VerifiedLedger> {
  const address = addressOf(url);
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
      entries.push(parseEntry(bytes, leaves.length));
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
  checkWeeks(entries);
  for (const tile of tiles.filter(({ level }) => level !== 'entries')) {
    const path = tilePath(tile);
    const expected = tileOfHashes(leaves, tile);
    if (expected === null || !(await read(path)).equals(expected)) {
      throw new LedgerError(`${path} does not match the entries.`);
    }
  }
  const counts: Record<string, number> = {};
  for (const { kind } of entries) counts[kind] = (counts[kind] ?? 0) + 1;
  return { origin, size, counts, olderSize: earlier?.size ?? null };
}
