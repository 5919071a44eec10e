import { MARKET_SOURCES, TIMEFRAMES } from './market-source.ts';
import * as parse from './parse.ts';

const toVerdict = parse.oneOf(['BUY', 'HOLD', 'SELL']);

/**
 * The type and the bounds of every column that the product reads. A name has the same ones in all tables. Instants are ISO
 * text in UTC; sessions of an American exchange, and the Monday of a week, are `YYYY-MM-DD`.
 */
const COLUMNS = {
  ...{ id: parse.toCount, source: parse.oneOf(MARKET_SOURCES), created_at: parse.toInstant },
  session: parse.toDay,

  // market_indices and market_metrics
  ...{ symbol: parse.toName, name: parse.toName, price: parse.toPositive },
  ...{ change: parse.toNumber, change_percent: parse.toNumber },
  ...{ market_exposure: parse.toPercentage, overall_strength: parse.toPercentage },

  // fear_greed_index and fear_greed_sessions
  ...{ index_value: parse.toPercentage, index_label: parse.toText },
  ...{ market_momentum: parse.toPercentage, stock_price_strength: parse.toPercentage },
  ...{ stock_price_breadth: parse.toPercentage, put_call_options: parse.toPercentage },
  ...{ junk_bond_demand: parse.toPercentage, market_volatility: parse.toPercentage },
  safe_haven_demand: parse.toPercentage,
  /** The components with a value of an earlier session than the row, separated by commas; null if there are none. */
  earlier_components: parse.toText,

  // sector_strength
  ...{ sector: parse.toName, strength: parse.toPercentage },

  // advanced_indicators. The `*_universe` columns name the stocks over which an indicator is counted.
  ...{ vix: parse.toNonNegative, vix_change: parse.toNumber, put_call_ratio: parse.toNonNegative },
  ...{ high_low_index: parse.toPercentage, high_low_universe: parse.toName },
  ...{ advance_decline_ratio: parse.toNonNegative, trin: parse.toNonNegative, trin_universe: parse.toName },
  ...{ mcclellan_oscillator: parse.toNumber, mcclellan_universe: parse.toName },
  ...{ tick_index: parse.toNumber, tick_universe: parse.toName },

  // market_sentiment, with `macd` in index points
  ...{ timeframe: parse.oneOf(TIMEFRAMES), signal: parse.toText, score: parse.toPercentage },
  ...{ description: parse.toText, rsi: parse.toPercentage, macd: parse.toNumber },
  ...{ moving_avg_trend: parse.toName, volume_trend: parse.toName },

  // market_breadth
  ...{ advancing_stocks: parse.toCount, declining_stocks: parse.toCount },
  ...{ unchanged_stocks: parse.toCount, universe: parse.toName },

  // market_stocks, in millions
  ...{ weight: parse.toNonNegative, volume: parse.toNonNegative },

  // input_origins. An input is `bars` or the name of a daily series. Without a provider, none had it.
  ...{ input: parse.toName, provider: parse.toName },
  /** The time at which the input's newest value was observed. */
  ...{ observed_at: parse.toInstant, fetched_at: parse.toInstant },

  // issued_signals and signal_grades. The reason says in one plain sentence why a week was withheld or a grade is void.
  ...{ week: parse.toDay, status: parse.oneOf(['issued', 'withheld', 'graded', 'void']) },
  ...{ reason: parse.toAnyText, decided_at: parse.toInstant, verdict: toVerdict },
  ...{ range_low: parse.toPercentage, range_high: parse.toPercentage, sp500_close: parse.toPositive },
  ...{ formula_version: parse.toAnyText, origin: parse.oneOf(['live', 'rebuilt']) },
  ...{ horizon_weeks: parse.oneOf([1, 4, 13]), replaces: parse.toCount, graded_at: parse.toInstant },
  ...{ entry_session: parse.toDay, entry_close: parse.toPositive },
  ...{ exit_session: parse.toDay, exit_close: parse.toPositive },

  // verdict_changes, at the time of the publication
  ...{ at: parse.toInstant, from_verdict: toVerdict, to_verdict: toVerdict },
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
  const fields = parse.toFields(value);
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
  readonly column: Items<'market_exposure,overall_strength,strength,vix,vix_change,put_call_ratio,trin,mcclellan_oscillator,high_low_index,tick_index'>;
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
