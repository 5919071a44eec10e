import { fearGreedBand } from '#domain/bands/fear-greed.ts';
import { sentimentBand } from '#domain/bands/sentiment.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import type { Snapshot } from '#domain/snapshot.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import type { MarketTableName } from '#schema/tables.ts';

/** A value as it goes into a column. */
export type Cell = string | number | boolean | null;

/** One of the seven market tables: its columns after `source` and `created_at`, and its rows of a snapshot. */
interface MarketTable {
  name: MarketTableName;
  columns: readonly string[];
  /** The column that tells the rows of one instant apart, where there are several. */
  key?: string;
  rows(snapshot: Snapshot): Cell[][];
}

export const PUBLISHED_TABLES: readonly MarketTable[] = [
  {
    name: 'market_indices',
    columns: ['symbol', 'name', 'price', 'change', 'change_percent'],
    key: 'symbol',
    rows: ({ indices }) =>
      indices.map(({ symbol, name, price, change, changePercent }) => [
        symbol,
        name,
        price,
        change,
        changePercent,
      ]),
  },
  {
    name: 'market_metrics',
    columns: ['market_exposure', 'overall_strength'],
    rows: ({ marketExposure, overallStrength }) => [
      [percentage(marketExposure), percentage(overallStrength)],
    ],
  },
  {
    name: 'fear_greed_index',
    columns: ['index_value', 'index_label', ...FEAR_GREED_COMPONENTS, 'mixed_sessions'],
    rows: ({ fearGreed }) => {
      if (fearGreed === null) return [];
      const { value, components, mixedSessions } = fearGreed;
      return [
        [
          percentage(value),
          fearGreedBand(value).label,
          ...FEAR_GREED_COMPONENTS.map((component) => percentage(components[component])),
          mixedSessions,
        ],
      ];
    },
  },
  {
    name: 'sector_strength',
    columns: ['sector', 'strength'],
    key: 'sector',
    rows: ({ sectors }) => sectors.map(({ sector, strength }) => [sector, percentage(strength)]),
  },
  {
    name: 'advanced_indicators',
    columns: [
      'vix',
      'vix_change',
      'put_call_ratio',
      'high_low_index',
      'high_low_universe',
      'advance_decline_ratio',
      'mcclellan_oscillator',
      'mcclellan_universe',
      'tick_index',
      'tick_universe',
      'trin',
      'trin_universe',
    ],
    rows: ({ indicators }) => [
      [
        indicators.vix,
        indicators.vixChange,
        indicators.putCallRatio,
        percentage(indicators.highLowIndex),
        indicators.highLowUniverse,
        indicators.advanceDeclineRatio,
        indicators.mcclellanOscillator,
        indicators.mcclellanUniverse,
        indicators.tickIndex,
        indicators.tickUniverse,
        indicators.trin,
        indicators.trinUniverse,
      ],
    ],
  },
  {
    name: 'market_sentiment',
    columns: [
      'timeframe',
      'signal',
      'score',
      'description',
      'rsi',
      'macd',
      'moving_avg_trend',
      'volume_trend',
    ],
    key: 'timeframe',
    rows: ({ sentiment }) =>
      sentiment.map(({ timeframe, score, description, rsi, macd, movingAverageTrend, volumeTrend }) => [
        timeframe,
        score === null ? null : sentimentBand(score).level,
        percentage(score),
        description.slice(0, LONGEST_TEXT) || null,
        percentage(rsi),
        macd,
        movingAverageTrend,
        volumeTrend,
      ]),
  },
  {
    name: 'market_breadth',
    columns: ['advancing_stocks', 'declining_stocks', 'unchanged_stocks', 'universe'],
    rows: ({ breadth }) => [
      breadth === null
        ? [null, null, null, null]
        : [breadth.advancing, breadth.declining, breadth.unchanged, breadth.universe],
    ],
  },
];

/** Every batch has one row here, so its `created_at` values are those of the batches. */
export const BATCH_TABLE = 'market_metrics';

/** A share of 0–100; what rounding put a hair outside is brought back, so that the column's check holds. */
function percentage(value: number | null): number | null {
  if (value === null || value < -1e-9 || value > 100 + 1e-9) return value;
  return Math.min(100, Math.max(0, value));
}
