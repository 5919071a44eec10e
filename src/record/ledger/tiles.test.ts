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

  const parts = ['000.p/0', '000.p/01', '000.p/256', '000/', '0', '0000', 'x000/001'];
  const others = ['tile/00/000', 'tile/entries/../checkpoint', 'tile/x/000'];
  it.each([...parts.map((part) => `tile/0/${part}`), ...others])('do not include %s', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });

  it('equal those of the specification for 70,000 entries', () => {
    const tiles = tilesOf(70_000);
    const full = tiles.filter(({ width }) => width === 256).map(({ level }) => level);
    expect([0, 1, 2].map((level) => full.filter((one) => one === level).length)).toEqual([273, 1, 0]);
    expect(tiles.filter(({ width }) => width < 256).map(tilePath)).toEqual([
      ...['tile/entries/273.p/112', 'tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1'],
    ]);
    expect(tilesOf(256).map(tilePath)).toEqual(['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1']);
    expect(tilesOf(0)).toEqual([]);
  });

  it('hold the hashes of full tiles one level above', () => {
    const leaves = Array.from({ length: 300 }, (_, index) => leafHash(Buffer.from(String(index))));
    const tile = (level: number, index: number, width: number) =>
      tileOfHashes(leaves, { level, index, width });
    expect(tile(1, 0, 1)).toEqual(Buffer.from(treeHash(leaves.slice(0, 256))));
    expect(tile(0, 1, 44)).toEqual(Buffer.concat(leaves.slice(256)));
    expect(tile(0, 1, 3)).toEqual(Buffer.concat(leaves.slice(256, 259)));
    expect([tile(0, 1, 45), tile(1, 0, 2), tile(2, 0, 1)]).toEqual([null, null, null]);
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
