import { parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { parseMarketBreadth } from '#schema/market-breadth.ts';
import { parseMarketIndex } from '#schema/market-indices.ts';
import { parseMarketMetrics } from '#schema/market-metrics.ts';
import { parseMarketSentiment } from '#schema/market-sentiment.ts';
import { parseSectorStrength } from '#schema/sector-strength.ts';
import type { TableClient } from './client.ts';
import { readClosingRows } from './close.ts';
import { DASHBOARD_TABLES } from './dashboard-tables.ts';
import { QueryError } from './errors.ts';
import { readFearGreed } from './fear-greed.ts';
import type { SessionClock } from './market-clock.ts';
import { dayAgo } from './market-days.ts';
import { newestBatch } from './newest-batch.ts';
import { readNewest, type TableRead } from './read.ts';

const INDICES = { ...DASHBOARD_TABLES.indices, parse: parseMarketIndex };
const METRICS = { ...DASHBOARD_TABLES.metrics, parse: parseMarketMetrics };
const SECTORS = { ...DASHBOARD_TABLES.sectors, parse: parseSectorStrength };
const INDICATORS = { ...DASHBOARD_TABLES.indicators, parse: parseAdvancedIndicators };
const SENTIMENT = { ...DASHBOARD_TABLES.sentiment, parse: parseMarketSentiment };
const BREADTH = { ...DASHBOARD_TABLES.breadth, parse: parseMarketBreadth };

/** Reads so many rows of a table, newest first: the newest there are, or those of an earlier session. */
type ReadRows = <Row>(read: TableRead<Row> & { limit: number }) => Promise<Row[]>;

async function readMarket(readRows: ReadRows): Promise<MarketRows> {
  const [metrics, sectors, indicators, sentiment, breadth] = await Promise.all([
    readRows(METRICS),
    readRows(SECTORS),
    readRows(INDICATORS),
    readRows(SENTIMENT),
    readRows(BREADTH),
  ]);
  return {
    metrics: metrics[0] ?? null,
    sectors: newestBatch(sectors, (row) => row.sector),
    indicators: indicators[0] ?? null,
    sentiment: newestBatch(sentiment, (row) => row.timeframe),
    breadth: breadth[0] ?? null,
  };
}

/**
 * Reads all seven groups in parallel, Fear & Greed with the history that only its timeline draws or without.
 * Throws QueryError.
 */
export async function readDashboard(
  client: TableClient,
  clock: SessionClock,
  parts: { history: boolean },
): Promise<DashboardRows> {
  const weekAgoDay = dayAgo(clock, 'oneWeekAgo');
  const [indices, fearGreed, market, weekAgo] = await Promise.all([
    readNewest(client, INDICES, INDICES.limit),
    readFearGreed(client, clock, parts),
    readMarket((read) => readNewest(client, read, read.limit)),
    readMarket((read) => readClosingRows(client, clock, weekAgoDay, read, read.limit)),
  ]);
  return { indices: newestBatch(indices, (row) => row.symbol), fearGreed, ...market, weekAgo };
}

/** The same for a visitor, whose console says what failed. Throws QueryError, with a message fit to show. */
export async function fetchDashboard(
  client: TableClient | null,
  clock: SessionClock,
): Promise<DashboardRows> {
  if (client === null) throw new QueryError('not_initialized');
  try {
    return await readDashboard(client, clock, { history: true });
  } catch (error) {
    console.error('Reading the market failed:', error instanceof QueryError ? error.cause : error);
    throw error instanceof QueryError ? error : new QueryError('failed_to_fetch');
  }
}
