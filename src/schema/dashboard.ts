import type * as rows from './columns.ts';

/** The Fear & Greed readings of the panel: now, and the closes 1, 7, 30 and 365 days ago. */
export interface FearGreedReadings {
  current: rows.FearGreedRow | null;
  /** The previous close with its components, which the directions of the components need. */
  previousClose: rows.FearGreedRow | null;
  oneWeekAgo: rows.FearGreedPoint | null;
  oneMonthAgo: rows.FearGreedPoint | null;
  oneYearAgo: rows.FearGreedPoint | null;
  /** The last 365 days, ascending. */
  timeline: readonly rows.FearGreedPoint[];
}

/** Inputs of the signal besides Fear & Greed. An empty table is null or an empty list. */
export interface MarketRows {
  metrics: rows.MarketMetricsRow | null;
  sectors: readonly rows.SectorStrengthRow[];
  indicators: rows.AdvancedIndicatorsRow | null;
  sentiment: readonly rows.MarketSentimentRow[];
  breadth: rows.MarketBreadthRow | null;
}

/** The inputs of the signal at the close a week before the newest rows. */
export interface WeekAgoRows extends MarketRows {
  fearGreed: rows.FearGreedPoint | null;
}

/** All data that the dashboard reads, one field per table group. */
export interface DashboardRows extends MarketRows {
  indices: readonly rows.MarketIndexRow[];
  fearGreed: FearGreedReadings;
  /** The close seven days before the newest session. `fearGreed.oneWeekAgo` counts from the clock instead. */
  weekAgo: WeekAgoRows;
}

/** The columns from which the signal is decided, besides Fear & Greed. An empty table is null or an empty list. */
export interface SignalRows {
  readonly metrics: rows.MarketMetricsRow | null;
  readonly sectors: readonly Pick<rows.SectorStrengthRow, 'sector' | 'strength' | 'created_at'>[];
  readonly indicators: Pick<
    rows.AdvancedIndicatorsRow,
    'vix' | 'put_call_ratio' | 'mcclellan_oscillator' | 'created_at'
  > | null;
  readonly sentiment: readonly Pick<rows.MarketSentimentRow, 'timeframe' | 'score' | 'created_at'>[];
  readonly breadth: Omit<rows.MarketBreadthRow, 'source'> | null;
}

export interface SessionRows extends SignalRows {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  readonly fearGreed: Pick<rows.FearGreedRow, 'index_value' | 'source' | 'created_at'> | null;
  /** The S&P 500; null without a price. */
  readonly close: number | null;
}
