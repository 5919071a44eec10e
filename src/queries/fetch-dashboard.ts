import { ADVANCED_INDICATORS_COLUMNS, parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { MARKET_BREADTH_COLUMNS, parseMarketBreadth } from '#schema/market-breadth.ts';
import { MARKET_INDICES_COLUMNS, parseMarketIndex } from '#schema/market-indices.ts';
import { MARKET_METRICS_COLUMNS, parseMarketMetrics } from '#schema/market-metrics.ts';
import { MARKET_SENTIMENT_COLUMNS, parseMarketSentiment } from '#schema/market-sentiment.ts';
import { parseSectorStrength, SECTOR_STRENGTH_COLUMNS } from '#schema/sector-strength.ts';
import type { TableClient } from './client.ts';
import { dayAgo, readClosingRows } from './close.ts';
import { QueryError } from './errors.ts';
import { readFearGreed } from './fear-greed.ts';
import type { SessionClock } from './market-clock.ts';
import { newestBatch } from './newest-batch.ts';
import { readNewest, type TableRead } from './read.ts';

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

/** Section 9: how many rows of each table. */
const LIMITS = { indices: 3, metrics: 1, sectors: 11, indicators: 1, sentiment: 3, breadth: 1 } as const;

/** Reads so many rows of a table, newest first: the newest there are, or those of an earlier session. */
type ReadRows = <Row>(read: TableRead<Row>, limit: number) => Promise<Row[]>;

async function readMarket(readRows: ReadRows): Promise<MarketRows> {
  const [metrics, sectors, indicators, sentiment, breadth] = await Promise.all([
    readRows(METRICS, LIMITS.metrics),
    readRows(SECTORS, LIMITS.sectors),
    readRows(INDICATORS, LIMITS.indicators),
    readRows(SENTIMENT, LIMITS.sentiment),
    readRows(BREADTH, LIMITS.breadth),
  ]);
  return {
    metrics: metrics[0] ?? null,
    sectors: newestBatch(sectors, (row) => row.sector),
    indicators: indicators[0] ?? null,
    sentiment: newestBatch(sentiment, (row) => row.timeframe),
    breadth: breadth[0] ?? null,
  };
}

async function readAll(client: TableClient, clock: SessionClock): Promise<DashboardRows> {
  const weekAgoDay = dayAgo(clock, 'oneWeekAgo');
  const [indices, fearGreed, market, weekAgo] = await Promise.all([
    readNewest(client, INDICES, LIMITS.indices),
    readFearGreed(client, clock),
    readMarket((read, limit) => readNewest(client, read, limit)),
    readMarket((read, limit) => readClosingRows(client, clock, weekAgoDay, read, limit)),
  ]);
  return { indices: newestBatch(indices, (row) => row.symbol), fearGreed, ...market, weekAgo };
}

/** Reads all seven groups in parallel. Throws QueryError, with a message fit to show, when one fails. */
export async function fetchDashboard(
  client: TableClient | null,
  clock: SessionClock,
): Promise<DashboardRows> {
  if (client === null) throw new QueryError('not_initialized');
  try {
    return await readAll(client, clock);
  } catch (error) {
    console.error('Reading the market failed:', error instanceof QueryError ? error.cause : error);
    throw error instanceof QueryError ? error : new QueryError('failed_to_fetch');
  }
}
