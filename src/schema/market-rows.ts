import type { Row } from './columns.ts';

// The columns of each table that the product reads, in the order of their requests. A row without a valid value in a
// column with `!` is left out; `columns.ts` has the types.

export const MARKET_INDICES = 'symbol!,name!,price,change,change_percent,source,created_at!';
export type MarketIndexRow = Row<typeof MARKET_INDICES>;

export const MARKET_METRICS = 'market_exposure,overall_strength,source,created_at!';
export type MarketMetricsRow = Row<typeof MARKET_METRICS>;

/** The seven components of the Fear & Greed index, each 0–100; null for a missing component. */
const COMPONENTS =
  'market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand';

export const FEAR_GREED_INDEX =
  `index_value!,index_label,${COMPONENTS},mixed_sessions,source,created_at!` as const;
export type FearGreedRow = Row<typeof FEAR_GREED_INDEX>;

/** One point of the Fear & Greed timeline. */
export const FEAR_GREED_POINT = 'index_value!,index_label,created_at!';
export type FearGreedPoint = Row<typeof FEAR_GREED_POINT>;

/** The components at the end of a session. */
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

/** The origin of one input of the rows with this `created_at`. */
export const INPUT_ORIGINS = 'input!,provider,session,observed_at,fetched_at,created_at!';
export type InputOriginRow = Row<typeof INPUT_ORIGINS>;

/** The close of an index, from a row of `market_indices`. */
export const INDEX_CLOSE = 'price!,source,created_at!';
export type IndexClose = Row<typeof INDEX_CLOSE>;
