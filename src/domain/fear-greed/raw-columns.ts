import type { FearGreedSeries } from './score.ts';

/** The seven raw series of a published index, as such files name and sign them. */
export const RAW_COLUMNS = [
  'sp500',
  'price_strength',
  'price_breadth',
  'put_call',
  'vix',
  'junk_bond_spread',
  'safe_haven',
] as const;
export type RawColumn = (typeof RAW_COLUMNS)[number];

/**
 * The raw series as `scoreFearGreed` wants them: put/call and the junk-bond spread, where much is fear, are
 * negated; the rest stays as it stands. All seven on one session axis, NaN where a field is empty.
 */
export function orientRawColumns(columns: Readonly<Record<RawColumn, Float64Array>>): FearGreedSeries {
  return {
    market_momentum: columns.sp500,
    stock_price_strength: columns.price_strength,
    stock_price_breadth: columns.price_breadth,
    put_call_options: columns.put_call.map((ratio) => -ratio),
    junk_bond_demand: columns.junk_bond_spread.map((spread) => -spread),
    market_volatility: columns.vix,
    safe_haven_demand: columns.safe_haven,
  };
}
