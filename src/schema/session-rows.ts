import type { AdvancedIndicatorsRow } from './advanced-indicators.ts';
import type { FearGreedRow } from './fear-greed-index.ts';
import type { MarketBreadthRow } from './market-breadth.ts';
import type { MarketMetricsRow } from './market-metrics.ts';
import type { MarketSentimentRow } from './market-sentiment.ts';
import type { SectorStrengthRow } from './sector-strength.ts';

/** The columns from which the signal is decided, besides Fear & Greed. An empty table is null or an empty list. */
export interface SignalRows {
  readonly metrics: MarketMetricsRow | null;
  readonly sectors: readonly Pick<SectorStrengthRow, 'sector' | 'strength' | 'created_at'>[];
  readonly indicators: Pick<
    AdvancedIndicatorsRow,
    'vix' | 'put_call_ratio' | 'mcclellan_oscillator' | 'created_at'
  > | null;
  readonly sentiment: readonly Pick<MarketSentimentRow, 'timeframe' | 'score' | 'created_at'>[];
  readonly breadth: Omit<MarketBreadthRow, 'source'> | null;
}

/** The last rows of one session. */
export interface SessionRows extends SignalRows {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  readonly fearGreed: Pick<FearGreedRow, 'index_value' | 'source' | 'created_at'> | null;
  /** The S&P 500; null without a price. */
  readonly close: number | null;
}
