import type { SeriesName } from '#domain/market-history.ts';

/** What a series can be at all, both included: far beyond what it ever was. A value outside is a wrong one. */
export const PLAUSIBLE: Readonly<Record<SeriesName, readonly [least: number, most: number]>> = {
  sp500_close: [100, 1_000_000],
  sp500_volume: [0, 1e12],
  nasdaq_composite_close: [100, 1_000_000],
  dow_jones_close: [1_000, 10_000_000],
  vix_close: [3, 300],
  put_call_total: [0.05, 20],
  put_call_equity: [0.05, 20],
  nyse_advances: [0, 10_000],
  nyse_declines: [0, 10_000],
  nyse_unchanged: [0, 10_000],
  nyse_new_highs: [0, 10_000],
  nyse_new_lows: [0, 10_000],
  high_yield_oas: [0.1, 60],
  investment_grade_oas: [0.05, 30],
  treasury_10y_yield: [-5, 30],
  treasury_fund_close: [1, 10_000],
  nyse_trin: [0.01, 100],
  tick_proxy: [-2_800, 2_800],
};
