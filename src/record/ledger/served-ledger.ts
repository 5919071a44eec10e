import { type Database, READ_ONLY, type Transaction } from '#database/port.ts';
import { createLedgerKey, type LedgerKey, parseVerifierKey, signCheckpoint } from './checkpoint.ts';
import { type Hash, leafHash, treeHash } from './merkle-tree.ts';
import { readAnchors, type StoredAnchor } from './stored-anchors.ts';
import { bundleOfEntries, parseTilePath, TILE_WIDTH, tileOfHashes } from './tiles.ts';
import type { LedgerTree } from './verify-ledger.ts';

export interface LedgerFile {
  readonly content: Uint8Array;
  /** True for a tile, which never changes. The checkpoint changes with each entry. */
  readonly isImmutable: boolean;
}

interface Ledger {
  readonly key: LedgerKey;
  readonly entries: readonly string[];
  readonly leaves: readonly Hash[];
  readonly checkpoint: string;
}

async function readKey(transaction: Transaction): Promise<LedgerKey | null> {
  const [row] = await transaction.query<{ seed: string }>(
    `select encode(seed, 'hex') as seed from archive.ledger_key`,
  );
  return row === undefined ? null : createLedgerKey(Buffer.from(row.seed, 'hex'));
}

/** Adds the entries after `known`, or reads all if the ledger does not continue it, as after a failover. */
async function readLedger(transaction: Transaction, known: Ledger | null): Promise<Ledger | null> {
  const key = known?.key ?? (await readKey(transaction));
  if (key === null) return null;
  const rows = await transaction.query<{ entry: string }>(
    'select entry from archive.ledger_entries where index >= $1 order by index',
    [known === null ? 0 : known.entries.length - 1],
  );
  const read = rows.map(({ entry }) => entry);
  if (known !== null && read[0] !== known.entries.at(-1)) return readLedger(transaction, null);
  if (known !== null && read.length === 1) return known;
  const added = known === null ? read : read.slice(1);
  const leaves = [...(known?.leaves ?? []), ...added.map((entry) => leafHash(Buffer.from(entry)))];
  return {
    key,
    entries: [...(known?.entries ?? []), ...added],
    leaves,
    checkpoint: signCheckpoint({ size: leaves.length, root: treeHash(leaves) }, key),
  };
}

/** Reads the current checkpoint as text; null before the first entry. */
export async function readCheckpoint(transaction: Transaction): Promise<string | null> {
  return (await readLedger(transaction, null))?.checkpoint ?? null;
}

/** Reads the ledger as the tree with which checkpoints are compared; null before the first entry. */
export async function readTree(transaction: Transaction): Promise<LedgerTree | null> {
  const ledger = await readLedger(transaction, null);
  const key = ledger && parseVerifierKey(ledger.key.verifierKey);
  return ledger && key && { key, leaves: ledger.leaves };
}

function anchorsFile(anchors: readonly StoredAnchor[]): LedgerFile {
  const listed = anchors.map(({ kind, authority, anchoredAt, checkpoint, proof }) => ({
    ...{ kind, authority, anchored_at: anchoredAt, checkpoint, proof },
  }));
  return { content: Buffer.from(`${JSON.stringify(listed, null, 1)}\n`), isImmutable: false };
}

function fileOf({ key, entries, leaves, checkpoint }: Ledger, path: string): LedgerFile | null {
  if (path === 'checkpoint') return { content: Buffer.from(checkpoint), isImmutable: false };
  if (path === 'key') return { content: Buffer.from(`${key.verifierKey}\n`), isImmutable: false };
  const tile = parseTilePath(path);
  if (tile === null) return null;
  const first = tile.index * TILE_WIDTH;
  if (tile.level !== 'entries') {
    const content = tileOfHashes(leaves, tile);
    return content && { content, isImmutable: true };
  }
  if (first + tile.width > entries.length) return null;
  return { content: bundleOfEntries(entries.slice(first, first + tile.width)), isImmutable: true };
}

/** The ledger is read from the database at most once in this time (ms). */
const CURRENT_MS = 1_000;

interface ServedLedgerOptions {
  readonly database: Database;
  readonly now: () => number;
}

/** Creates a function that returns a file below `/ledger/`; null without one. Rejects if it never read the ledger. */
export function createServedLedger({ database, now }: ServedLedgerOptions) {
  let known: Ledger | null = null;
  let anchors: readonly StoredAnchor[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    await database.transaction(async (transaction) => {
      known = await readLedger(transaction, known);
      // Reads all, because an anchor with a smaller id than those read before may be committed later.
      anchors = await readAnchors(transaction);
    }, READ_ONLY);
    readAt = now();
  }

  return async (path: string): Promise<LedgerFile | null> => {
    if (Math.abs(now() - readAt) >= CURRENT_MS) {
      reading ??= read().finally(() => {
        reading = null;
      });
      // An older checkpoint stays valid, so the last one is served while the database is unavailable.
      await reading.catch((error: unknown) => {
        if (known === null) throw error;
      });
    }
    if (known === null) return null;
    return path === 'anchors.json' ? anchorsFile(anchors) : fileOf(known, path);
  };
}
