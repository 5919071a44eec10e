import type { FearGreedComponents } from './fear-greed/components.ts';

/** An index as quoted: price in points, change against the session before it in points and percent. */
export interface IndexQuote {
  symbol: string;
  name: string;
  price: number;
  change: number | null;
  changePercent: number | null;
}

/** Sentiment of one timeframe; `score` and `rsi` 0–100, `macd` in index points. */
export interface TimeframeSentiment {
  timeframe: 'short' | 'medium' | 'long';
  score: number | null;
  rsi: number | null;
  macd: number | null;
  movingAverageTrend: 'bullish' | 'bearish' | 'neutral' | null;
  volumeTrend: 'increasing' | 'decreasing' | 'neutral' | null;
  /** One sentence for a general visitor. */
  description: string;
}

/** Everything a visitor sees for one session. What cannot be computed is null, never 0 or 50. */
export interface Snapshot {
  session: string;
  indices: readonly IndexQuote[];
  /** Percent of members above their 50-session average. */
  marketExposure: number | null;
  overallStrength: number | null;
  /** Null below five components. */
  fearGreed: { value: number; components: FearGreedComponents } | null;
  sectors: readonly { sector: string; strength: number | null }[];
  indicators: {
    vix: number | null;
    vixChange: number | null;
    putCallRatio: number | null;
    highLowIndex: number | null;
    highLowUniverse: string | null;
    advanceDeclineRatio: number | null;
    mcclellanOscillator: number | null;
    mcclellanUniverse: string | null;
    tickIndex: number | null;
    tickUniverse: string | null;
    trin: number | null;
    trinUniverse: string | null;
  };
  sentiment: readonly TimeframeSentiment[];
  breadth: { advancing: number; declining: number; unchanged: number; universe: string } | null;
}
