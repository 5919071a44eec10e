import { parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { parseMarketBreadth } from '#schema/market-breadth.ts';
import { parseMarketIndex } from '#schema/market-indices.ts';
import { parseMarketMetrics } from '#schema/market-metrics.ts';
import { parseMarketSentiment } from '#schema/market-sentiment.ts';
import { parseSectorStrength } from '#schema/sector-strength.ts';
import type { SessionClock } from './market-clock.ts';
import { readFearGreed } from './read-fear-greed.ts';
import { readFirst, readRows, type SendRead } from './read-rows.ts';
import { dashboardReads, type MarketReads } from './table-reads.ts';

/**
 * Returns the rows of the newest batch (they share one `created_at`), one for each key (specification, reading 4).
 * Expects the newest rows first.
 */
export function newestBatch<Row extends { created_at: string }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  const newest = rows[0]?.created_at;
  const batch = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    if (row.created_at === newest && !batch.has(key)) batch.set(key, row);
  }
  return [...batch.values()];
}

async function readMarket(send: SendRead, reads: MarketReads): Promise<MarketRows> {
  const [metrics, sectors, indicators, sentiment, breadth] = await Promise.all([
    readFirst(send, reads.metrics, parseMarketMetrics),
    readRows(send, reads.sectors, parseSectorStrength),
    readFirst(send, reads.indicators, parseAdvancedIndicators),
    readRows(send, reads.sentiment, parseMarketSentiment),
    readFirst(send, reads.breadth, parseMarketBreadth),
  ]);
  return {
    metrics,
    sectors: newestBatch(sectors, (row) => row.sector),
    indicators,
    sentiment: newestBatch(sentiment, (row) => row.timeframe),
    breadth,
  };
}

/**
 * Reads all seven groups in parallel. Without `history` the timeline is empty and not read. Throws QueryError.
 */
export async function readDashboard(
  send: SendRead,
  clock: SessionClock,
  parts: { history: boolean },
): Promise<DashboardRows> {
  const reads = dashboardReads(clock);
  const [indices, fearGreed, market, weekAgo] = await Promise.all([
    readRows(send, reads.newest.indices, parseMarketIndex),
    readFearGreed(send, clock, reads, parts.history),
    readMarket(send, reads.newest),
    readMarket(send, reads.weekAgo),
  ]);
  return { indices: newestBatch(indices, (row) => row.symbol), fearGreed, ...market, weekAgo };
}
