import { ADVANCED_INDICATORS_COLUMNS, parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { MARKET_BREADTH_COLUMNS, parseMarketBreadth } from '#schema/market-breadth.ts';
import { MARKET_INDICES_COLUMNS, parseMarketIndex } from '#schema/market-indices.ts';
import { MARKET_METRICS_COLUMNS, parseMarketMetrics } from '#schema/market-metrics.ts';
import { MARKET_SENTIMENT_COLUMNS, parseMarketSentiment } from '#schema/market-sentiment.ts';
import { parseSectorStrength, SECTOR_STRENGTH_COLUMNS } from '#schema/sector-strength.ts';
import type { TableClient } from './client.ts';
import { QueryError } from './errors.ts';
import { readFearGreed } from './fear-greed.ts';
import type { MarketClock } from './market-clock.ts';
import { newestBatch } from './newest-batch.ts';
import { readLatest, readNewest } from './read.ts';

const INDICES = { table: 'market_indices', columns: MARKET_INDICES_COLUMNS, parse: parseMarketIndex };
const METRICS = { table: 'market_metrics', columns: MARKET_METRICS_COLUMNS, parse: parseMarketMetrics };
const SECTORS = { table: 'sector_strength', columns: SECTOR_STRENGTH_COLUMNS, parse: parseSectorStrength };
const INDICATORS = {
  table: 'advanced_indicators',
  columns: ADVANCED_INDICATORS_COLUMNS,
  parse: parseAdvancedIndicators,
};
const SENTIMENT = {
  table: 'market_sentiment',
  columns: MARKET_SENTIMENT_COLUMNS,
  parse: parseMarketSentiment,
};
const BREADTH = { table: 'market_breadth', columns: MARKET_BREADTH_COLUMNS, parse: parseMarketBreadth };

/** Section 9: how many rows of the tables that hold several a batch. */
const ROWS = { indices: 3, sectors: 11, sentiment: 3 } as const;

async function readAll(client: TableClient, clock: MarketClock): Promise<DashboardRows> {
  const [indices, metrics, fearGreed, sectors, indicators, sentiment, breadth] = await Promise.all([
    readNewest(client, INDICES, ROWS.indices),
    readLatest(client, METRICS),
    readFearGreed(client, clock),
    readNewest(client, SECTORS, ROWS.sectors),
    readLatest(client, INDICATORS),
    readNewest(client, SENTIMENT, ROWS.sentiment),
    readLatest(client, BREADTH),
  ]);
  return {
    indices: newestBatch(indices, (row) => row.symbol),
    metrics,
    fearGreed,
    sectors: newestBatch(sectors, (row) => row.sector),
    indicators,
    sentiment: newestBatch(sentiment, (row) => row.timeframe),
    breadth,
  };
}

/** Reads all seven groups in parallel. Throws QueryError, with a message fit to show, when one fails. */
export async function fetchDashboard(client: TableClient | null, clock: MarketClock): Promise<DashboardRows> {
  if (client === null) throw new QueryError('not_initialized');
  try {
    return await readAll(client, clock);
  } catch (error) {
    console.error('Reading the market failed:', error instanceof QueryError ? error.cause : error);
    throw error instanceof QueryError ? error : new QueryError('failed_to_fetch');
  }
}
