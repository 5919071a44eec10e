import { parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import type { DashboardRows, FearGreedPoint, MarketRows } from '#schema/dashboard.ts';
import { parseFearGreed } from '#schema/fear-greed-index.ts';
import { type FearGreedSessionRow, parseFearGreedSession } from '#schema/fear-greed-session.ts';
import { type IndexClose, parseIndexClose } from '#schema/index-close.ts';
import { parseMarketBreadth } from '#schema/market-breadth.ts';
import { parseMarketIndex } from '#schema/market-indices.ts';
import { parseMarketMetrics } from '#schema/market-metrics.ts';
import { parseMarketSentiment } from '#schema/market-sentiment.ts';
import { toFields } from '#schema/parse.ts';
import { parseSectorStrength } from '#schema/sector-strength.ts';
import { parsePoint } from './read-fear-greed.ts';

type Fields = Record<string, unknown>;

function listOf<Row>(value: unknown, parse: (value: unknown) => Row | null): Row[] {
  return Array.isArray(value) ? value.map(parse).filter((row) => row !== null) : [];
}

function marketOf(fields: Fields): MarketRows {
  return {
    metrics: parseMarketMetrics(fields.metrics),
    sectors: listOf(fields.sectors, parseSectorStrength),
    indicators: parseAdvancedIndicators(fields.indicators),
    sentiment: listOf(fields.sentiment, parseMarketSentiment),
    breadth: parseMarketBreadth(fields.breadth),
  };
}

/**
 * Parses the dashboard's rows from a store with untrusted contents. Excludes invalid rows. Null if the value has no
 * such rows at all.
 */
export function parseStoredRows(value: unknown): DashboardRows | null {
  const fields = toFields(value);
  const fearGreed = toFields(fields?.fearGreed);
  if (fields === null || fearGreed === null) return null;
  const weekAgo = toFields(fields.weekAgo) ?? {};
  return {
    ...marketOf(fields),
    indices: listOf(fields.indices, parseMarketIndex),
    fearGreed: {
      current: parseFearGreed(fearGreed.current),
      previousClose: parseFearGreed(fearGreed.previousClose),
      oneWeekAgo: parsePoint(fearGreed.oneWeekAgo),
      oneMonthAgo: parsePoint(fearGreed.oneMonthAgo),
      oneYearAgo: parsePoint(fearGreed.oneYearAgo),
      timeline: parseStoredTimeline(fearGreed.timeline),
    },
    weekAgo: { ...marketOf(weekAgo), fearGreed: parsePoint(weekAgo.fearGreed) },
  };
}

/** Parses the rows of the timeline from a store with untrusted contents; empty without valid rows. */
export function parseStoredTimeline(value: unknown): FearGreedPoint[] {
  return listOf(value, parsePoint);
}

/** Parses the components of the sessions from a store with untrusted contents; empty without valid rows. */
export function parseStoredComponents(value: unknown): FearGreedSessionRow[] {
  return listOf(value, parseFearGreedSession);
}

/** Parses the S&P 500 closes from a store with untrusted contents; empty without valid closes. */
export function parseStoredCloses(value: unknown): IndexClose[] {
  return listOf(value, parseIndexClose);
}
