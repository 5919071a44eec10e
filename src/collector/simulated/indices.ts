import { COMPANIES } from './companies.ts';
import type { MarketModel, MarketState } from './market-state.ts';

const GROWTH_SECTORS = ['Information Technology', 'Communication Services', 'Consumer Discretionary'];
/** Levels at the start: from these the default market reaches levels and ratios of 2026 that a reader expects. */
const START = { sp500: 1833, nasdaq: 6005, dow: 12_810 } as const;
const AVERAGED = 30;

export interface IndexLevels {
  sp500: number;
  nasdaq: number;
  dow: number;
}

/**
 * Levels of the three indices from prices: all companies by value, the growth sectors by value, and the
 * plain average of the thirty largest, each scaled to its level at the start.
 */
export function createIndices(model: MarketModel, start: MarketState): (prices: Float64Array) => IndexLevels {
  const growth = COMPANIES.flatMap(({ sector }, index) => (GROWTH_SECTORS.includes(sector) ? [index] : []));
  const everybody = COMPANIES.map((_, index) => index);
  const first = start.logPrices.map(Math.exp);
  const worth = (index: number) => (model.shares[index] as number) * (first[index] as number);
  const largest = [...everybody].sort((a, b) => worth(b) - worth(a)).slice(0, AVERAGED);

  const value = (prices: Float64Array, members: readonly number[]) =>
    members.reduce((sum, index) => sum + (model.shares[index] as number) * (prices[index] as number), 0);
  const price = (prices: Float64Array) => largest.reduce((sum, index) => sum + (prices[index] as number), 0);

  const scale = {
    sp500: START.sp500 / value(first, everybody),
    nasdaq: START.nasdaq / value(first, growth),
    dow: START.dow / price(first),
  };
  return (prices) => ({
    sp500: value(prices, everybody) * scale.sp500,
    nasdaq: value(prices, growth) * scale.nasdaq,
    dow: price(prices) * scale.dow,
  });
}
