import { fearGreedBand } from '#domain/bands/score-bands.ts';
import { sentimentBand } from '#domain/bands/sentiment-bands.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import { INDICATOR_COLUMNS, type IndicatorColumns } from '#domain/indicator-columns.ts';
import type { Snapshot } from '#domain/snapshot.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import type { MarketTableName } from '#schema/tables.ts';
import type { InputOrigin } from '../sources/source.ts';

/** The value of a column. */
export type Cell = string | number | boolean | null;

/** One of the seven market tables: its columns before `source` and `created_at`, and its rows of a snapshot. */
interface MarketTable {
  name: MarketTableName;
  columns: readonly string[];
  /** The column that distinguishes the rows of one instant, if there are several. */
  key?: string;
  rows(snapshot: Snapshot): Cell[][];
}

/** A table with a row per item of a snapshot. `values` computes each column. */
function table<Item>(
  name: MarketTableName,
  itemsOf: (snapshot: Snapshot) => readonly Item[],
  values: Readonly<Record<string, (item: Item) => Cell>>,
): MarketTable {
  const computations = Object.values(values);
  return {
    name,
    columns: Object.keys(values),
    rows: (snapshot) => itemsOf(snapshot).map((item) => computations.map((compute) => compute(item))),
  };
}

export const PUBLISHED_TABLES: readonly MarketTable[] = [
  {
    key: 'symbol',
    ...table('market_indices', ({ indices }) => indices, {
      symbol: ({ symbol }) => symbol,
      name: ({ name }) => name,
      price: ({ price }) => price,
      change: ({ change }) => change,
      change_percent: ({ changePercent }) => changePercent,
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
    mixed_sessions: ({ mixedSessions }) => mixedSessions,
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
      INDICATOR_COLUMNS.map((column) => [column, (indicators: IndicatorColumns) => indicators[column]]),
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
    advancing_stocks: (breadth) => breadth?.advancing ?? null,
    declining_stocks: (breadth) => breadth?.declining ?? null,
    unchanged_stocks: (breadth) => breadth?.unchanged ?? null,
    universe: (breadth) => breadth?.universe ?? null,
  }),
];

/** Every batch has one row in this table. */
export const BATCH_TABLE = 'market_metrics';

/** The rows of one session. */
export interface RowSet {
  session: string;
  /** Epoch ms: the closing bell, or when an open session was observed. */
  createdAt: number;
  /** By table; the last cell of each row is `source`. */
  rows: ReadonlyMap<string, readonly Cell[][]>;
  /** The origins of the inputs; absent if the source has no providers, or if the published origins stay. */
  origins?: readonly InputOrigin[];
}

/** The rows of a snapshot by table. Numbers that are not finite become null. */
export function toRows(snapshot: Snapshot, source: MarketSource): RowSet['rows'] {
  return new Map(
    PUBLISHED_TABLES.map(({ name, rows: rowsOf }) => [
      name,
      rowsOf(snapshot).map((cells) => [...cells.map(storable), source]),
    ]),
  );
}

function storable(cell: Cell): Cell {
  if (typeof cell === 'string') return cell.replace(/[\t\n\r]/g, ' ').trim();
  return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell;
}

/** Relative tolerance for equal values; absolute below 1. */
const NOISE = 1e-9;

/** True if two numbers differ only by rounding. */
export function differsByRounding(a: number, b: number): boolean {
  return Math.abs(a - b) <= NOISE * Math.max(1, Math.abs(a), Math.abs(b));
}

/** True if rows equal the stored rows. */
export function sameRows(wanted: readonly Cell[][], stored: readonly Cell[][]): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every((row, at) => row.every((cell, column) => sameCell(cell, stored[at]?.[column])))
  );
}

function sameCell(cell: Cell, stored: Cell | undefined): boolean {
  return typeof cell === 'number' && typeof stored === 'number'
    ? differsByRounding(cell, stored)
    : cell === stored;
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
