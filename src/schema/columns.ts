import { MARKET_SOURCES, TIMEFRAMES } from './market-source.ts';
import * as parse from './parse.ts';

/** The seven components of the Fear & Greed index, each 0–100; null for a missing component. */
const COMPONENTS =
  'market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand';

type Items<List extends string> = List extends `${infer First},${infer Rest}` ? First | Items<Rest> : List;

/**
 * The columns that the product reads, by their type. A name has the same type in all tables. Instants are ISO text in UTC;
 * sessions of an American exchange, and the Monday of a week, are `YYYY-MM-DD`.
 */
const TYPES = [
  [parse.toCount, 'id,replaces,advancing_stocks,declining_stocks,unchanged_stocks'],
  [parse.toNumber, 'change,change_percent,vix_change,mcclellan_oscillator,tick_index,macd'],
  [parse.toNonNegative, 'vix,put_call_ratio,advance_decline_ratio,trin,weight,volume'],
  [parse.toPositive, 'price,sp500_close,entry_close,exit_close'],
  [parse.toPercentage, COMPONENTS],
  [parse.toPercentage, 'market_exposure,overall_strength,index_value,strength,high_low_index'],
  [parse.toPercentage, 'score,rsi,range_low,range_high'],
  [parse.toName, 'symbol,name,sector,input,provider,moving_avg_trend,volume_trend,universe'],
  [parse.toName, 'high_low_universe,mcclellan_universe,tick_universe,trin_universe'],
  [parse.toText, 'index_label,earlier_components,signal,description'],
  [parse.toAnyText, 'reason,formula_version'],
  [parse.toInstant, 'created_at,observed_at,fetched_at,decided_at,graded_at,at'],
  [parse.toDay, 'session,week,entry_session,exit_session'],
  [parse.oneOf(['BUY', 'HOLD', 'SELL']), 'verdict,from_verdict,to_verdict'],
  [parse.oneOf(MARKET_SOURCES), 'source'],
  [parse.oneOf(TIMEFRAMES), 'timeframe'],
  [parse.oneOf(['issued', 'withheld', 'graded', 'void']), 'status'],
  [parse.oneOf(['live', 'rebuilt']), 'origin'],
  [parse.oneOf([1, 4, 13]), 'horizon_weeks'],
] as const;

type Columns = { [Type in (typeof TYPES)[number] as Items<Type[1]>]: Type[0] };
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

/** The parsers by column. They are made for the first row, because the script that only begins the reads needs none. */
let parsers: ReadonlyMap<string, (value: unknown) => unknown> | undefined;

/** Parses the columns of an untrusted row. Null if it is not an object, or if a column with `!` is missing or invalid. */
export function parseRow<List extends string>(list: List, value: unknown): Row<List> | null {
  const fields = parse.toFields(value);
  if (fields === null) return null;
  parsers ??= new Map(
    TYPES.flatMap(([parser, names]) => names.split(',').map((name) => [name, parser] as const)),
  );
  const row: Record<string, unknown> = {};
  for (const item of list.split(',')) {
    const name = item.replace('!', '');
    const parsed = parsers.get(name)?.(fields[name]) ?? null;
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
// column with `!` is left out; `TYPES` has their types.

export const MARKET_INDICES = 'symbol!,name!,price,change,change_percent,source,created_at!';
export type MarketIndexRow = Row<typeof MARKET_INDICES>;

export const MARKET_METRICS = 'market_exposure,overall_strength,source,created_at!';
export type MarketMetricsRow = Row<typeof MARKET_METRICS>;

/** `earlier_components` are those with a value of an earlier session than the row, separated by commas. */
export const FEAR_GREED_INDEX =
  `index_value!,index_label,${COMPONENTS},earlier_components,source,created_at!` as const;
export type FearGreedRow = Row<typeof FEAR_GREED_INDEX>;

export const FEAR_GREED_POINT = 'index_value!,index_label,created_at!';
export type FearGreedPoint = Row<typeof FEAR_GREED_POINT>;

export const FEAR_GREED_SESSIONS = `session!,${COMPONENTS}` as const;
export type FearGreedSessionRow = Row<typeof FEAR_GREED_SESSIONS>;

export const SECTOR_STRENGTH = 'sector!,strength,source,created_at!';
export type SectorStrengthRow = Row<typeof SECTOR_STRENGTH>;

/** The `*_universe` columns name the stocks over which an indicator is counted. */
export const ADVANCED_INDICATORS =
  'vix,vix_change,put_call_ratio,high_low_index,high_low_universe,advance_decline_ratio,mcclellan_oscillator,mcclellan_universe,tick_index,tick_universe,trin,trin_universe,source,created_at!';
export type AdvancedIndicatorsRow = Row<typeof ADVANCED_INDICATORS>;

/** `macd` is in index points. */
export const MARKET_SENTIMENT =
  'timeframe!,signal,score,description,rsi,macd,moving_avg_trend,volume_trend,source,created_at!';
export type MarketSentimentRow = Row<typeof MARKET_SENTIMENT>;

export const MARKET_BREADTH =
  'advancing_stocks,declining_stocks,unchanged_stocks,universe,source,created_at!';
export type MarketBreadthRow = Row<typeof MARKET_BREADTH>;

/** A stock: change in percent, weight in millions of USD a session, volume in millions of shares. */
export const MARKET_STOCKS = 'symbol!,name!,sector!,change_percent,weight,volume,source,created_at!';
export type MarketStockRow = Row<typeof MARKET_STOCKS>;

/** `input` is `bars` or the name of a daily series. `provider` is null if none had it. */
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
