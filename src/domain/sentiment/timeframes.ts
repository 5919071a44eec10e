/** Number of bars among which RSI and MACD, and the close against its average, are ranked. */
export const RANK_BARS = 500;
/** Minimum bars for a rank: two years of weekly bars. */
export const LEAST_RANKED = 100;

/** Averages and volume are daily; RSI and MACD use `bars`. `returnSessions`: a week, three months, a year. */
export const TIMEFRAMES = [
  {
    timeframe: 'short',
    bars: 'daily',
    rsi: 7,
    macd: { fast: 6, slow: 13 },
    averages: { fast: 5, slow: 10 },
    volume: { short: 5, long: 20 },
    returnSessions: 5,
  },
  {
    timeframe: 'medium',
    bars: 'daily',
    rsi: 14,
    macd: { fast: 12, slow: 26 },
    averages: { fast: 20, slow: 50 },
    volume: { short: 20, long: 60 },
    returnSessions: 63,
  },
  {
    timeframe: 'long',
    bars: 'weekly',
    rsi: 14,
    macd: { fast: 12, slow: 26 },
    averages: { fast: 50, slow: 200 },
    volume: { short: 60, long: 250 },
    returnSessions: 252,
  },
] as const;
export type TimeframeSpans = (typeof TIMEFRAMES)[number];
export type Timeframe = TimeframeSpans['timeframe'];
