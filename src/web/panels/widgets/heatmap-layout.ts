import type { SectorTiles, StockView } from '#views/stocks-view.ts';
import { type Box, squarify } from '../../charts/treemap.ts';

/** Space for the name of a sector above its tiles, in pixels. */
const NAME_HEIGHT = 18;
/** The lowest sector with a name: below it, the tiles would have less height than the name. */
const NAMED_HEIGHT = 2 * NAME_HEIGHT;
const GAP = 2;
const PADDING = 6;

/** The width of a text in pixels. A symbol is bold. */
export type WidthOf = (text: string, weight?: 'bold') => number;

type NamedSector = Pick<SectorTiles, 'name' | 'shortName'> & { box: Box };

export const inset = ({ left, top, width, height }: Box, by: number, above = by): Box => ({
  left: left + by,
  top: top + above,
  width: Math.max(0, width - 2 * by),
  height: Math.max(0, height - by - above),
});

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Places the sectors and their tiles, in the order of `stocksOf`. A sector has its name above its tiles. */
export function layOutTiles(sectors: readonly SectorTiles[], width: number, height: number) {
  const weights = sectors.map(({ tiles }) => sum(tiles.map(({ weight }) => weight)));
  const places = squarify(weights, { left: 0, top: 0, width, height });
  const named: NamedSector[] = [];
  const boxes = sectors.flatMap(({ name, shortName, tiles }, index) => {
    const place = places[index];
    if (place === undefined) return [];
    const isNamed = place.height >= NAMED_HEIGHT;
    if (isNamed) named.push({ name, shortName, box: place });
    return squarify(
      tiles.map(({ weight }) => weight),
      inset(place, GAP / 2, isNamed ? NAME_HEIGHT : GAP / 2),
    );
  });
  return { sectors: named, boxes: boxes.reverse() };
}

export type Layout = ReturnType<typeof layOutTiles>;

export const boxAt = (boxes: readonly Box[], x: number, y: number) =>
  boxes.findIndex(
    ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height,
  );

export const attributesOf = ({ left, top, width, height }: Box) => ({ x: left, y: top, width, height });

/** The first characters of a text that fit a box of this width, with an ellipsis; empty if fewer than two fit. */
function fitted(text: string, width: number, widthOf: WidthOf): string {
  const characters = [...text];
  let short = text;
  while (characters.length > 1 && widthOf(short) > width - PADDING) {
    characters.pop();
    short = `${characters.join('').trimEnd()}…`;
  }
  return characters.length > 1 ? short : '';
}

/** The names of the sectors if each fits its box, otherwise their short names, or the first characters of these. */
export function sectorHeadings(sectors: readonly NamedSector[], widthOf: WidthOf): string[] {
  const allFit = sectors.every(({ name, box }) => widthOf(name) <= box.width - PADDING);
  return sectors.map(({ name, shortName, box }) => (allFit ? name : fitted(shortName, box.width, widthOf)));
}

/** The stocks of the tiles. The last one is the most traded of the first sector, with which tables and keys begin. */
export const stocksOf = (sectors: readonly SectorTiles[]): StockView[] =>
  sectors.flatMap(({ tiles }) => tiles.map(({ stock }) => stock)).reverse();

export const LINE = 15;

/** The texts that fit a tile: its symbol, and its change if there is space for both. */
export function tileTexts(box: Box, { symbol, changeText }: StockView, widthOf: WidthOf): string[] {
  const [width, height] = [box.width - PADDING, box.height - 4];
  if (height < LINE || widthOf(symbol, 'bold') > width) return [];
  return height < 2 * LINE || widthOf(changeText) > width ? [symbol] : [symbol, changeText];
}
