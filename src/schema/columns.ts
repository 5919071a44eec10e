import { MARKET_SOURCES, TIMEFRAMES } from './market-source.ts';
import {
  oneOf,
  toAnyText,
  toCount,
  toDay,
  toFields,
  toInstant,
  toName,
  toNonNegative,
  toNumber,
  toPercentage,
  toPositive,
  toText,
} from './parse.ts';

const toVerdict = oneOf(['BUY', 'HOLD', 'SELL']);

/** The type and the bounds of every column that the product reads. A name has the same ones in all tables. */
const COLUMNS = {
  id: toCount,
  source: oneOf(MARKET_SOURCES),
  /** ISO instant in UTC, as all instants. */
  created_at: toInstant,
  /** Session of an American exchange, `YYYY-MM-DD`, as all sessions. */
  session: toDay,

  // market_indices
  symbol: toName,
  name: toName,
  price: toPositive,
  change: toNumber,
  change_percent: toNumber,

  // market_metrics: participation and strength
  market_exposure: toPercentage,
  overall_strength: toPercentage,

  // fear_greed_index and fear_greed_sessions
  index_value: toPercentage,
  index_label: toText,
  market_momentum: toPercentage,
  stock_price_strength: toPercentage,
  stock_price_breadth: toPercentage,
  put_call_options: toPercentage,
  junk_bond_demand: toPercentage,
  market_volatility: toPercentage,
  safe_haven_demand: toPercentage,
  /** The components with a value of an earlier session than the row, separated by commas; null if there are none. */
  earlier_components: toText,

  // sector_strength
  sector: toName,
  strength: toPercentage,

  // advanced_indicators. The `*_universe` columns name the stocks over which an indicator is counted.
  vix: toNonNegative,
  vix_change: toNumber,
  put_call_ratio: toNonNegative,
  high_low_index: toPercentage,
  high_low_universe: toName,
  advance_decline_ratio: toNonNegative,
  mcclellan_oscillator: toNumber,
  mcclellan_universe: toName,
  tick_index: toNumber,
  tick_universe: toName,
  trin: toNonNegative,
  trin_universe: toName,

  // market_sentiment
  timeframe: oneOf(TIMEFRAMES),
  signal: toText,
  score: toPercentage,
  description: toText,
  rsi: toPercentage,
  /** In index points. */
  macd: toNumber,
  moving_avg_trend: toName,
  volume_trend: toName,

  // market_breadth
  advancing_stocks: toCount,
  declining_stocks: toCount,
  unchanged_stocks: toCount,
  universe: toName,

  // market_stocks, in millions
  weight: toNonNegative,
  volume: toNonNegative,

  // input_origins
  /** `bars`, or the name of a daily series. */
  input: toName,
  /** Null if no provider had the input. */
  provider: toName,
  /** The time at which the input's newest value was observed. */
  observed_at: toInstant,
  fetched_at: toInstant,

  // issued_signals and signal_grades
  /** The Monday of the week, `YYYY-MM-DD`. */
  week: toDay,
  status: oneOf(['issued', 'withheld', 'graded', 'void']),
  /** Why a week was withheld or a grade is void, in one plain sentence; otherwise null. */
  reason: toAnyText,
  decided_at: toInstant,
  verdict: toVerdict,
  range_low: toPercentage,
  range_high: toPercentage,
  sp500_close: toPositive,
  formula_version: toAnyText,
  origin: oneOf(['live', 'rebuilt']),
  horizon_weeks: oneOf([1, 4, 13]),
  entry_session: toDay,
  entry_close: toPositive,
  exit_session: toDay,
  exit_close: toPositive,
  graded_at: toInstant,
  replaces: toCount,

  // verdict_changes
  /** The time of the publication. */
  at: toInstant,
  from_verdict: toVerdict,
  to_verdict: toVerdict,
} satisfies Readonly<Record<string, (value: unknown) => unknown>>;

type Columns = typeof COLUMNS;
type Items<List extends string> = List extends `${infer First},${infer Rest}` ? First | Items<Rest> : List;
type NameOf<Item extends string> = Item extends `${infer Name}!` ? Name : Item;
type Value<Name extends keyof Columns> = ReturnType<Columns[Name]>;

/**
 * A row with the columns of a list, such as `'symbol!,price'`. A column is null if its value is missing or invalid. A
 * column with `!` is never null.
 */
export type Row<List extends string> = {
  [Name in keyof Columns as Name extends NameOf<Items<List>> ? Name : never]: `${Name}!` extends Items<List>
    ? NonNullable<Value<Name>>
    : Value<Name>;
};

/** Parses the columns of an untrusted row. Null if it is not an object, or if a column with `!` is missing or invalid. */
export function parseRow<List extends string>(list: List, value: unknown): Row<List> | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const row: Record<string, unknown> = {};
  for (const item of list.split(',')) {
    const name = item.replace('!', '');
    const parsed = COLUMNS[name as keyof Columns](fields[name]);
    if (parsed === null && name !== item) return null;
    row[name] = parsed;
  }
  return row as Row<List>;
}

/** Parses untrusted rows. Leaves out invalid ones. Empty if the value is not a list. */
export function parseRows<List extends string>(list: List, value: unknown): Row<List>[] {
  return Array.isArray(value) ? value.map((row) => parseRow(list, row)).filter((row) => row !== null) : [];
}

// The columns of each table that the product reads, in the order of their requests. A row without a valid value in a
// column with `!` is left out; `COLUMNS` has the types.

export const MARKET_INDICES = 'symbol!,name!,price,change,change_percent,source,created_at!';
export type MarketIndexRow = Row<typeof MARKET_INDICES>;

export const MARKET_METRICS = 'market_exposure,overall_strength,source,created_at!';
export type MarketMetricsRow = Row<typeof MARKET_METRICS>;

/** The seven components of the Fear & Greed index, each 0–100; null for a missing component. */
const COMPONENTS =
  'market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand';

export const FEAR_GREED_INDEX =
  `index_value!,index_label,${COMPONENTS},earlier_components,source,created_at!` as const;
export type FearGreedRow = Row<typeof FEAR_GREED_INDEX>;

export const FEAR_GREED_POINT = 'index_value!,index_label,created_at!';
export type FearGreedPoint = Row<typeof FEAR_GREED_POINT>;

export const FEAR_GREED_SESSIONS = `session!,${COMPONENTS}` as const;
export type FearGreedSessionRow = Row<typeof FEAR_GREED_SESSIONS>;

export const SECTOR_STRENGTH = 'sector!,strength,source,created_at!';
export type SectorStrengthRow = Row<typeof SECTOR_STRENGTH>;

export const ADVANCED_INDICATORS =
  'vix,vix_change,put_call_ratio,high_low_index,high_low_universe,advance_decline_ratio,mcclellan_oscillator,mcclellan_universe,tick_index,tick_universe,trin,trin_universe,source,created_at!';
export type AdvancedIndicatorsRow = Row<typeof ADVANCED_INDICATORS>;

export const MARKET_SENTIMENT =
  'timeframe!,signal,score,description,rsi,macd,moving_avg_trend,volume_trend,source,created_at!';
export type MarketSentimentRow = Row<typeof MARKET_SENTIMENT>;

export const MARKET_BREADTH =
  'advancing_stocks,declining_stocks,unchanged_stocks,universe,source,created_at!';
export type MarketBreadthRow = Row<typeof MARKET_BREADTH>;

/** A stock: change in percent, weight in millions of USD a session, volume in millions of shares. */
export const MARKET_STOCKS = 'symbol!,name!,sector!,change_percent,weight,volume,source,created_at!';
export type MarketStockRow = Row<typeof MARKET_STOCKS>;

export const INPUT_ORIGINS = 'input!,provider,session,observed_at,fetched_at,created_at!';
export type InputOriginRow = Row<typeof INPUT_ORIGINS>;

export const INDEX_CLOSE = 'price!,source,created_at!';
export type IndexClose = Row<typeof INDEX_CLOSE>;

/** One column of a table whose rows are the history of a figure. `sector` selects the rows of a sector. */
export interface StoredFigure {
  readonly table: 'market_metrics' | 'advanced_indicators' | 'sector_strength';
  readonly column:
    | 'market_exposure'
    | 'overall_strength'
    | 'strength'
    | 'vix'
    | 'vix_change'
    | 'put_call_ratio'
    | 'trin'
    | 'mcclellan_oscillator'
    | 'high_low_index'
    | 'tick_index';
  /** The column with the name of the counted stocks. */
  readonly universe?: 'trin_universe' | 'mcclellan_universe' | 'high_low_universe' | 'tick_universe';
  readonly sector?: string;
}

export interface FigureRow {
  readonly value: number | null;
  /** The name of the counted stocks; null if the figure counts none. */
  readonly universe: string | null;
  readonly created_at: string;
}
