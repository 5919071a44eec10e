import { describe, expect, it } from 'vitest';
import { leafHash, treeHash } from './merkle-tree.ts';
import { bundleOfEntries, entriesOfBundle, parseTilePath, tileOfHashes, tilePath, tilesOf } from './tiles.ts';

describe('the tiles of a log', () => {
  it.each([
    ['tile/0/000', { level: 0, index: 0, width: 256 }],
    ['tile/1/x001/x234/067', { level: 1, index: 1_234_067, width: 256 }],
    ['tile/entries/x273/000.p/112', { level: 'entries', index: 273_000, width: 112 }],
  ] as const)('have the path %s', (path, tile) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it.each([
    'tile/00/000',
    'tile/0/0',
    'tile/0/0000',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000/',
    'tile/entries/../checkpoint',
    'tile/x/000',
  ])('do not include %s', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });

  it('equal those of the specification for 70,000 entries', () => {
    const tiles = tilesOf(70_000);
    const count = (level: number | 'entries', isFull: boolean) =>
      tiles.filter((tile) => tile.level === level && (tile.width === 256) === isFull).length;
    expect([count(0, true), count(0, false), count(1, true), count(1, false), count(2, false)]).toEqual([
      273, 1, 1, 1, 1,
    ]);
    expect(tiles.filter(({ width }) => width < 256).map(tilePath)).toEqual([
      'tile/entries/273.p/112',
      'tile/0/273.p/112',
      'tile/1/001.p/17',
      'tile/2/000.p/1',
    ]);
    expect(tilesOf(256).map(tilePath)).toEqual(['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1']);
    expect(tilesOf(0)).toEqual([]);
  });

  it('hold the hashes of full tiles one level above', () => {
    const leaves = Array.from({ length: 300 }, (_, index) => leafHash(Buffer.from(String(index))));
    const top = tileOfHashes(leaves, { level: 1, index: 0, width: 1 });
    expect(top).toEqual(Buffer.from(treeHash(leaves.slice(0, 256))));
    expect(tileOfHashes(leaves, { level: 0, index: 1, width: 44 })).toEqual(Buffer.concat(leaves.slice(256)));
    expect(tileOfHashes(leaves, { level: 0, index: 1, width: 3 })).toEqual(
      Buffer.concat(leaves.slice(256, 259)),
    );
    expect(tileOfHashes(leaves, { level: 0, index: 1, width: 45 })).toBeNull();
    expect(tileOfHashes(leaves, { level: 1, index: 0, width: 2 })).toBeNull();
    expect(tileOfHashes(leaves, { level: 2, index: 0, width: 1 })).toBeNull();
  });

  it('write the length of each entry before it', () => {
    const bundle = bundleOfEntries(['a', '', '€'.repeat(100)]);
    expect(entriesOfBundle(bundle)?.map(String)).toEqual(['a', '', '€'.repeat(100)]);
    expect(Buffer.from(bundle.subarray(0, 5)).toString('hex')).toBe('0001610000');
    expect(entriesOfBundle(bundle.subarray(0, -1))).toBeNull();
    expect(entriesOfBundle(bundle.subarray(0, 4))).toBeNull();
    expect(() => bundleOfEntries(['x'.repeat(65_536)])).toThrow(RangeError);
  });
});
