import { changeStep } from '#domain/bands/change-steps.ts';
import { roundTo } from '#domain/bands/precision.ts';
import type { MarketStockRow } from '#schema/columns.ts';
import { asOf } from './day.ts';
import { countText, figureOf, toneOfChange, UNKNOWN, writeNumber } from './number.ts';
import { demoOf } from './sources-view.ts';

export type { MarketStockRow };

const EMPTY_TEXT = 'No stocks are available. They will appear here once fetched.';
const MOST_MOVERS = 5;

const UNITS = ['', 'K', 'M', 'B', 'T'] as const;
const MILLIONS = 2;

/** Writes a number of millions with three digits: '51.2M', '640K', '1.23B'. */
export function writeMillions(millions: number | null): string {
  if (millions === null) return UNKNOWN;
  let value = Number(millions.toPrecision(3));
  let unit = MILLIONS;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  while (value > 0 && value < 1 && unit > 0) {
    value *= 1000;
    unit -= 1;
  }
  const decimals = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value === 0 ? '0' : writeNumber(roundTo(value, decimals), decimals) + UNITS[unit];
}

function stockOf({ symbol, name, sector, change_percent, volume }: MarketStockRow) {
  const { value: change, text } = figureOf('changePercent', change_percent, { signed: true, suffix: '%' });
  const volumeText = writeMillions(volume);
  const colour = change === null ? { tone: 'neutral' as const, step: 0 } : changeStep(change);
  return { symbol, name, sector, change, changeText: text, ...colour, volumeText };
}

export type StockView = ReturnType<typeof stockOf>;

function countsOf(stocks: readonly StockView[]): string {
  const counts = { positive: 0, negative: 0, neutral: 0, unknown: 0 };
  for (const { change } of stocks) {
    const tone = change === null ? 'unknown' : toneOfChange(change);
    counts[tone as keyof typeof counts] += 1;
  }
  const words = `${counts.positive} up, ${counts.negative} down, ${counts.neutral} unchanged`;
  return counts.unknown === 0 ? words : `${words}, ${counts.unknown} unknown`;
}

/** Names of sectors for a box that is too narrow for the whole name. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  'Communication Services': 'Comm.',
  'Consumer Discretionary': 'Discretionary',
  'Consumer Staples': 'Staples',
  'Information Technology': 'Tech',
};

/** The sectors of the heatmap, the largest first, and the most traded stock of each first, without stocks that have no weight. */
function sectorsOf(rows: readonly MarketStockRow[]) {
  const tiles = rows.flatMap((row) =>
    row.weight === null || row.weight === 0 ? [] : [{ stock: stockOf(row), weight: row.weight }],
  );
  const weightOf = ({ tiles }: { tiles: { weight: number }[] }) =>
    tiles.reduce((sum, { weight }) => sum + weight, 0);
  return [...new Set(tiles.map(({ stock }) => stock.sector))]
    .map((name) => ({
      name,
      shortName: (Object.hasOwn(SHORT_NAMES, name) ? SHORT_NAMES[name] : null) ?? name,
      tiles: tiles.filter(({ stock }) => stock.sector === name).sort((a, b) => b.weight - a.weight),
    }))
    .sort((a, b) => weightOf(b) - weightOf(a));
}

export type SectorTiles = ReturnType<typeof sectorsOf>[number];

export function stocksView(rows: readonly MarketStockRow[]) {
  const stocks = rows.map(stockOf);
  const moved = stocks
    .filter(({ change }) => change !== null && change !== 0)
    .sort((a, b) => (b.change ?? 0) - (a.change ?? 0));
  const [first] = rows;
  return {
    title: `Heatmap of ${countText(rows.length, 'stock')}`,
    asOfText: first === undefined ? null : `Our own, as of ${asOf(first.created_at).text}`,
    demo: demoOf(rows.map(({ source }) => source)),
    emptyText: EMPTY_TEXT,
    countsText: countsOf(stocks),
    sectors: sectorsOf(rows),
    gainers: moved.slice(0, MOST_MOVERS).filter(({ tone }) => tone === 'positive'),
    losers: moved
      .slice(-MOST_MOVERS)
      .reverse()
      .filter(({ tone }) => tone === 'negative'),
  };
}
export type StocksView = ReturnType<typeof stocksView>;
