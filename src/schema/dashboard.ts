import type { AdvancedIndicatorsRow } from './advanced-indicators.ts';
import type { FearGreedRow } from './fear-greed-index.ts';
import type { MarketBreadthRow } from './market-breadth.ts';
import type { MarketIndexRow } from './market-indices.ts';
import type { MarketMetricsRow } from './market-metrics.ts';
import type { MarketSentimentRow } from './market-sentiment.ts';
import type { SectorStrengthRow } from './sector-strength.ts';

/** One point of the Fear & Greed timeline. */
export type FearGreedPoint = Pick<FearGreedRow, 'index_value' | 'index_label' | 'created_at'>;

/** The Fear & Greed readings of the panel: now, and the closes 1, 7, 30 and 365 days ago. */
export interface FearGreedReadings {
  current: FearGreedRow | null;
  /** The previous close with its components, which the directions of the components need. */
  previousClose: FearGreedRow | null;
  oneWeekAgo: FearGreedPoint | null;
  oneMonthAgo: FearGreedPoint | null;
  oneYearAgo: FearGreedPoint | null;
  /** The last 365 days, ascending. */
  timeline: readonly FearGreedPoint[];
}

/** Inputs of the signal besides Fear & Greed. An empty table is null or an empty list. */
export interface MarketRows {
  metrics: MarketMetricsRow | null;
  sectors: readonly SectorStrengthRow[];
  indicators: AdvancedIndicatorsRow | null;
  sentiment: readonly MarketSentimentRow[];
  breadth: MarketBreadthRow | null;
}

/** The inputs of the signal at the close a week before the newest rows. */
export interface WeekAgoRows extends MarketRows {
  fearGreed: FearGreedPoint | null;
}

/** All data that the dashboard reads, one field per table group. */
export interface DashboardRows extends MarketRows {
  indices: readonly MarketIndexRow[];
  fearGreed: FearGreedReadings;
  /**
   * The close seven days before the session of the newest rows, or of the last session before that day. `fearGreed.oneWeekAgo`
   * counts from the clock instead.
   */
  weekAgo: WeekAgoRows;
}
