import { fearGreedBand, sentimentBand } from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import {
  INDICATOR_COLUMNS,
  type IndicatorColumns,
  seriesShownIn,
} from '#domain/readings/indicator-columns.ts';
import type { Snapshot } from '#domain/readings/market-readings.ts';
import { INDICES, type IndexQuote, type StockQuote } from '#domain/readings/quotes.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import { type MarketTableName, STOCKS_TABLE } from '#schema/tables.ts';
import type { InputOrigin } from '../history/source.ts';
import type { Input } from '../providers/provider.ts';
import type { Right } from '../providers/rights.ts';

export type Cell = string | number | boolean | null;

/** One of the seven market tables: its columns before `source` and `created_at`, and its rows of a snapshot. */
interface MarketTable {
  name: MarketTableName;
  columns: readonly string[];
  /** The column that distinguishes the rows of one instant, if there are several. */
  key?: string;
  /** The rows that may be published; the last cell of each is the source. */
  rows(snapshot: Snapshot, rightOf: RightOf, source: MarketSource): Cell[][];
}

export type RightOf = (input: Input) => Right;

/** A column of words or of figures that we compute, or a column with the numbers that a provider publishes for inputs. */
type Column<Item> =
  | ((item: Item) => Cell)
  | { readonly number: (item: Item) => Cell; readonly of: (item: Item) => readonly Input[] };

type Columns<Item> = Readonly<Record<string, Column<Item>>>;

/** The cell of a column; null for a provider's number without the right 'value', and for a number that is not finite. */
function cellOf<Item>(column: Column<Item>, item: Item, rightOf: RightOf): Cell {
  if (typeof column === 'function') return storable(column(item));
  return column.of(item).every((input) => rightOf(input) === 'value') ? storable(column.number(item)) : null;
}

/** A row per item; the last cell is the source. */
function rowsOf<Item>(
  columns: Columns<Item>,
  items: readonly Item[],
  rightOf: RightOf,
  source: MarketSource,
): Cell[][] {
  const ofItem = (item: Item) => Object.values(columns).map((column) => cellOf(column, item, rightOf));
  return items.map((item) => [...ofItem(item), source]);
}

/** A table with a row per item. Each column states whose numbers it has, which decides its right. */
const table = <Item>(
  name: MarketTableName,
  itemsOf: (snapshot: Snapshot) => readonly Item[],
  columns: Columns<Item>,
): MarketTable => ({
  name,
  columns: Object.keys(columns),
  rows: (snapshot, rightOf, source) => rowsOf(columns, itemsOf(snapshot), rightOf, source),
});

const seriesOfIndex = ({ symbol }: IndexQuote) =>
  INDICES.filter((index) => index.symbol === symbol).map(({ series }) => series);

/** The counts of the exchange; counts of the members are our own. */
const seriesOfBreadth = (breadth: Snapshot['breadth']): Input[] =>
  breadth?.universe === EXCHANGE ? ['nyse_advances', 'nyse_declines', 'nyse_unchanged'] : [];

export const PUBLISHED_TABLES: readonly MarketTable[] = [
  {
    key: 'symbol',
    ...table('market_indices', ({ indices }) => indices, {
      symbol: ({ symbol }) => symbol,
      name: ({ name }) => name,
      price: { number: ({ price }) => price, of: seriesOfIndex },
      change: { number: ({ change }) => change, of: seriesOfIndex },
      change_percent: { number: ({ changePercent }) => changePercent, of: seriesOfIndex },
    }),
  },
  table('market_metrics', (snapshot) => [snapshot], {
    market_exposure: ({ marketExposure }) => percentage(marketExposure),
    overall_strength: ({ overallStrength }) => percentage(overallStrength),
  }),
  table('fear_greed_index', ({ fearGreed }) => (fearGreed === null ? [] : [fearGreed]), {
    index_value: ({ value }) => percentage(value),
    index_label: ({ value }) => fearGreedBand(value).label,
    ...Object.fromEntries(
      FEAR_GREED_COMPONENTS.map((name) => [
        name,
        ({ components }: NonNullable<Snapshot['fearGreed']>) => percentage(components[name]),
      ]),
    ),
    earlier_components: ({ earlierComponents }) => earlierComponents.join(',') || null,
  }),
  {
    key: 'sector',
    ...table('sector_strength', ({ sectors }) => sectors, {
      sector: ({ sector }) => sector,
      strength: ({ strength }) => percentage(strength),
    }),
  },
  table(
    'advanced_indicators',
    ({ indicators }) => [indicators],
    Object.fromEntries(
      INDICATOR_COLUMNS.map((column) => [
        column,
        {
          number: (indicators: IndicatorColumns) => indicators[column],
          of: (indicators: IndicatorColumns) => seriesShownIn(column, indicators),
        },
      ]),
    ),
  ),
  {
    key: 'timeframe',
    ...table('market_sentiment', ({ sentiment }) => sentiment, {
      timeframe: ({ timeframe }) => timeframe,
      signal: ({ score }) => (score === null ? null : sentimentBand(score).level),
      score: ({ score }) => percentage(score),
      description: ({ description }) => description.slice(0, LONGEST_TEXT) || null,
      rsi: ({ rsi }) => percentage(rsi),
      macd: ({ macd }) => macd,
      moving_avg_trend: ({ movingAverageTrend }) => movingAverageTrend,
      volume_trend: ({ volumeTrend }) => volumeTrend,
    }),
  },
  table('market_breadth', ({ breadth }) => [breadth], {
    advancing_stocks: { number: (breadth) => breadth?.advancing ?? null, of: seriesOfBreadth },
    declining_stocks: { number: (breadth) => breadth?.declining ?? null, of: seriesOfBreadth },
    unchanged_stocks: { number: (breadth) => breadth?.unchanged ?? null, of: seriesOfBreadth },
    universe: (breadth) => breadth?.universe ?? null,
  }),
];

/** Every batch has one row in this table. */
export const BATCH_TABLE = 'market_metrics';

const STOCK_COLUMNS: Columns<StockQuote> = {
  symbol: ({ symbol }) => symbol,
  name: ({ name }) => name,
  sector: ({ sector }) => sector,
  change_percent: ({ changePercent }) => changePercent,
  weight: ({ weight }) => weight,
  volume: ({ volume }) => volume,
};

/** The table of the stocks. Only the newest row set has rows in it, and no publication has any of them. */
export const STOCKS = { name: STOCKS_TABLE, columns: Object.keys(STOCK_COLUMNS) } as const;

/** With more stocks the page's read of them would exceed 12 KB. */
const MOST_STOCKS = 600;

/** The rows of the most traded stocks. */
export function stockRows(quotes: readonly StockQuote[], source: MarketSource): Cell[][] {
  const sorted = quotes.toSorted((one, other) => (other.weight ?? -1) - (one.weight ?? -1));
  return rowsOf(STOCK_COLUMNS, sorted.slice(0, MOST_STOCKS), () => 'value', source);
}

export interface RowSet {
  session: string;
  /** Epoch ms: the closing bell, or when an open session was observed. */
  createdAt: number;
  /** By table; the last cell of each row is `source`. */
  rows: ReadonlyMap<string, readonly Cell[][]>;
  /** The origins of the inputs; absent if the source has no providers, or if the published origins stay. */
  origins?: readonly InputOrigin[];
}

/** The rows of a snapshot that may be published, by table. */
export const toRows = (snapshot: Snapshot, source: MarketSource, rightOf: RightOf): RowSet['rows'] =>
  new Map(PUBLISHED_TABLES.map(({ name, rows }) => [name, rows(snapshot, rightOf, source)]));

function storable(cell: Cell): Cell {
  if (typeof cell === 'string') return cell.replace(/[\t\n\r]/g, ' ').trim();
  return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
}

/** Relative tolerance for equal values; absolute below 1. */
const NOISE = 1e-9;

export function sameRows(wanted: readonly Cell[][], stored: readonly Cell[][]): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every((row, at) => row.every((cell, column) => sameCell(cell, stored[at]?.[column])))
  );
}

/** True if two values are equal, or numbers that differ only by rounding. */
export function sameCell(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= NOISE * Math.max(1, Math.abs(a), Math.abs(b))
    : a === b;
}

/** True if rows have all values of the stored rows and at least one more. */
export function onlyAdds(wanted: readonly Cell[][], stored: readonly Cell[][]): boolean {
  if (wanted.length < stored.length) return false;
  const lost = stored.some((row, at) =>
    row.some((cell, column) => cell !== null && (wanted[at]?.[column] ?? null) === null),
  );
  const valuesIn = (rows: readonly Cell[][]) => rows.flat().filter((cell) => cell !== null).length;
  return !lost && valuesIn(wanted) > valuesIn(stored);
}

/** Clamps a rounding error to 0–100, so that the column's check holds. Returns other values unchanged. */
function percentage(value: number | null): number | null {
  if (value === null || value < -1e-9 || value > 100 + 1e-9) return value;
  return Math.min(100, Math.max(0, value));
}
