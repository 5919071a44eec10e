import { type Hash, treeHash } from './merkle-tree.ts';

/** Number of hashes in a full tile, and of entries in a full bundle (c2sp.org/tlog-tiles). */
export const TILE_WIDTH = 256;

/** A file of the log, with hashes of one level of the Merkle tree, or with entries. `width` is their number. */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

const indexPath = (index: number): string => {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const parts = padded.match(/\d{3}/g) ?? [];
  return parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join('/');
};

/** Returns the path of a tile below the address of the log, such as `tile/0/x001/234.p/17`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${indexPath(index)}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

export function parseTilePath(path: string): Tile | null {
  const [, level = '', digits = '', width] =
    /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(digits.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  return tilePath(tile) === path && tile.width > 0 ? tile : null;
}

const sizeOfLevel = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Returns all files of a log with `size` entries: the bundles of entries and the tiles of hashes. */
export function tilesOf(size: number): Tile[] {
  const tilesOfLevel = (level: number | 'entries', count: number): Tile[] =>
    Array.from({ length: Math.ceil(count / TILE_WIDTH) }, (_, index) => ({
      level,
      index,
      width: Math.min(TILE_WIDTH, count - index * TILE_WIDTH),
    }));
  const tiles = tilesOfLevel('entries', size);
  for (let level = 0; sizeOfLevel(size, level) > 0; level += 1)
    tiles.push(...tilesOfLevel(level, sizeOfLevel(size, level)));
  return tiles;
}

/** Returns the content of a tile of hashes in the tree with these leaves; null if the tree has no such tile. */
export function tileOfHashes(leaves: readonly Hash[], { level, index, width }: Tile): Uint8Array | null {
  if (level === 'entries' || index * TILE_WIDTH + width > sizeOfLevel(leaves.length, level)) return null;
  const span = TILE_WIDTH ** level;
  const first = index * TILE_WIDTH;
  const hashes = Array.from({ length: width }, (_, at) =>
    treeHash(leaves.slice((first + at) * span, (first + at + 1) * span)),
  );
  return Buffer.concat(hashes);
}

const LENGTH_BYTES = 2;
const LONGEST_ENTRY = 0xffff;

/** Returns the content of a bundle: each entry after two bytes with its length. Throws RangeError for more than 65,535 bytes. */
export function bundleOfEntries(entries: readonly string[]): Uint8Array {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const bytes = Buffer.from(entry);
      if (bytes.length > LONGEST_ENTRY)
        throw new RangeError('An entry of the ledger is longer than 65,535 bytes.');
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt16BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** Parses the content of a bundle to its entries; null if the lengths do not match the content. */
export function entriesOfBundle(bundle: Uint8Array): Uint8Array[] | null {
  const bytes = Buffer.from(bundle);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + LENGTH_BYTES > bytes.length) return null;
    const end = at + LENGTH_BYTES + bytes.readUInt16BE(at);
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return entries;
}
