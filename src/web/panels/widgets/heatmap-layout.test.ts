import { expect, it } from 'vitest';
import { stocksView } from '#views/stocks-view.ts';
import { boxAt, layOutTiles, sectorHeadings, stocksOf, tileTexts } from './heatmap-layout.ts';

/** As many stocks, in eleven sectors, the last of which has one stock. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    symbol: `S${index}`,
    name: `Company ${index}`,
    sector: index === 0 ? 'A sector of one stock' : `Sector ${index % 10}`,
    change_percent: index === 1 ? 900 : 0,
    weight: 1 + (index % 97),
    volume: 1,
    source: 'live' as const,
    created_at: '2026-11-13T21:00:00.000Z',
  }));

const widthOf = (text: string) => 7.6 * text.length;

it.each([1, 2, 503, 3_000])('places %i stocks so that each is found where it is drawn', (count) => {
  const { sectors } = stocksView(rowsOf(count));
  for (const [width, height] of [
    [318, 380],
    [900, 460],
  ] as const) {
    const { boxes, sectors: named } = layOutTiles(sectors, width, height);
    const stocks = stocksOf(sectors);
    expect([boxes.length, stocks.length]).toEqual([count, count]);
    const lost = boxes.filter(
      (box, index) =>
        box.width > 0 &&
        box.height > 0 &&
        boxAt(boxes, box.left + box.width / 2, box.top + box.height / 2) !== index,
    );
    expect(lost).toEqual([]);
    for (const [index, heading] of sectorHeadings(named, widthOf).entries())
      expect(widthOf(heading)).toBeLessThan(named[index]?.box.width ?? 0);
    const wide = boxes.flatMap((box, index) => {
      const stock = stocks[index];
      return stock ? tileTexts(box, stock, widthOf).map((text) => widthOf(text) - box.width) : [];
    });
    expect(Math.max(...wide, -1)).toBeLessThan(0);
  }
});

it('begins with the most traded stock of the first sector, as the last one', () => {
  const { sectors } = stocksView(rowsOf(503));
  expect(stocksOf(sectors).at(-1)).toMatchObject(sectors[0]?.tiles[0]?.stock ?? {});
});

it('draws nothing of no size', () => {
  const { sectors } = stocksView(rowsOf(20));
  const { boxes, sectors: named } = layOutTiles(sectors, 0, 0);
  expect([
    boxes.every(({ width, height }) => width === 0 && height === 0),
    named,
    boxAt(boxes, 0, 0),
  ]).toEqual([true, [], -1]);
});

it('shortens all names if one does not fit', () => {
  const box = { left: 0, top: 0, width: 200, height: 100 };
  const short = { name: 'Information Technology', shortName: 'Tech', box };
  const other = { name: 'Energy', shortName: 'En', box };
  expect(sectorHeadings([short, other], widthOf)).toEqual(['Information Technology', 'Energy']);
  expect(sectorHeadings([{ ...short, box: { ...box, width: 100 } }, other], widthOf)).toEqual(['Tech', 'En']);
});

it.each([
  [200, 'Information Technology'],
  [100, 'Tech'],
  [34, 'Te…'],
  [12, ''],
])('heads a sector of %i px with as much of its name as fits', (width, heading) => {
  const [row] = rowsOf(1);
  const { sectors } = stocksView(row ? [{ ...row, sector: 'Information Technology' }] : []);
  const named = layOutTiles(sectors, width, 100).sectors;
  expect(sectorHeadings(named, widthOf)).toEqual([heading]);
});
