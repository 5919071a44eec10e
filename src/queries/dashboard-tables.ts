import { ADVANCED_INDICATORS_COLUMNS } from '#schema/advanced-indicators.ts';
import { FEAR_GREED_INDEX_COLUMNS } from '#schema/fear-greed-index.ts';
import { MARKET_BREADTH_COLUMNS } from '#schema/market-breadth.ts';
import { MARKET_INDICES_COLUMNS } from '#schema/market-indices.ts';
import { MARKET_METRICS_COLUMNS } from '#schema/market-metrics.ts';
import { MARKET_SENTIMENT_COLUMNS } from '#schema/market-sentiment.ts';
import { SECTOR_STRENGTH_COLUMNS } from '#schema/sector-strength.ts';

/**
 * Section 9: the columns and the number of rows read of each table, newest first. Rows of one batch have the same
 * `created_at`, so a batch that can hold more rows than are read has further columns to order by.
 */
export const DASHBOARD_TABLES = {
  indices: {
    table: 'market_indices',
    columns: MARKET_INDICES_COLUMNS,
    limit: 3,
    thenBy: ['symbol', 'id'],
  },
  fearGreed: { table: 'fear_greed_index', columns: FEAR_GREED_INDEX_COLUMNS, limit: 1 },
  metrics: { table: 'market_metrics', columns: MARKET_METRICS_COLUMNS, limit: 1 },
  sectors: { table: 'sector_strength', columns: SECTOR_STRENGTH_COLUMNS, limit: 11 },
  indicators: { table: 'advanced_indicators', columns: ADVANCED_INDICATORS_COLUMNS, limit: 1 },
  sentiment: { table: 'market_sentiment', columns: MARKET_SENTIMENT_COLUMNS, limit: 3 },
  breadth: { table: 'market_breadth', columns: MARKET_BREADTH_COLUMNS, limit: 1 },
} as const;

/** What is read of a Fear & Greed reading of which only the index is shown. */
export const POINT_COLUMNS = 'index_value,index_label,created_at';

/** What a hosted backend answers at most, however much is asked for. */
export const PAGE_ROWS = 1000;
