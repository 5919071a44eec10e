/** Name of an input on the page: its group and, if the group has several, its part. */
interface InputWords {
  readonly group: string;
  readonly part: string | null;
}

/** The names of the inputs in display order. Inputs of one group with the same origin share one line. */
export const INPUT_WORDS: Readonly<Record<string, InputWords>> = {
  bars: { group: 'Stock prices', part: null },
  sp500_close: { group: 'Index levels', part: 'S&P 500' },
  nasdaq_composite_close: { group: 'Index levels', part: 'Nasdaq Composite' },
  dow_jones_close: { group: 'Index levels', part: 'Dow Jones' },
  sp500_volume: { group: 'Volume of the S&P 500', part: null },
  vix_close: { group: 'VIX', part: null },
  put_call_total: { group: 'Put/call ratio', part: 'all options' },
  put_call_equity: { group: 'Put/call ratio', part: 'single stocks' },
  high_yield_oas: { group: 'Credit spreads', part: 'high-yield' },
  investment_grade_oas: { group: 'Credit spreads', part: 'investment-grade' },
  treasury_10y_yield: { group: '10-year Treasury yield', part: null },
  treasury_fund_close: { group: 'Treasury bond fund', part: null },
  nyse_advances: { group: 'NYSE counts', part: 'advances' },
  nyse_declines: { group: 'NYSE counts', part: 'declines' },
  nyse_unchanged: { group: 'NYSE counts', part: 'unchanged' },
  nyse_new_highs: { group: 'NYSE counts', part: 'new highs' },
  nyse_new_lows: { group: 'NYSE counts', part: 'new lows' },
  nyse_trin: { group: 'NYSE counts', part: 'TRIN' },
  tick_proxy: { group: 'TICK', part: 'from one-minute prices' },
};

/** Display names of the providers, by the provider's name in the rows. */
export const PROVIDER_WORDS: Readonly<Record<string, string>> = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo Finance',
  cboe: 'Cboe',
  fred: 'FRED',
  wsj: 'The Wall Street Journal',
};
