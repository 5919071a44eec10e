import {
  ADVANCED_INDICATORS,
  FEAR_GREED_INDEX,
  FEAR_GREED_POINT,
  FEAR_GREED_SESSIONS,
  INDEX_CLOSE,
  MARKET_BREADTH,
  MARKET_INDICES,
  MARKET_METRICS,
  MARKET_SENTIMENT,
  MARKET_STOCKS,
  parseRow,
  parseRows,
  SECTOR_STRENGTH,
} from '#schema/columns.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { toFields } from '#schema/parse.ts';

type Fields = Record<string, unknown>;

function marketOf(fields: Fields): MarketRows {
  return {
    metrics: parseRow(MARKET_METRICS, fields.metrics),
    sectors: parseRows(SECTOR_STRENGTH, fields.sectors),
    indicators: parseRow(ADVANCED_INDICATORS, fields.indicators),
    sentiment: parseRows(MARKET_SENTIMENT, fields.sentiment),
    breadth: parseRow(MARKET_BREADTH, fields.breadth),
  };
}

/** Parses the dashboard's rows from an untrusted store. Excludes invalid rows. Null if the value has none at all. */
export function parseStoredRows(value: unknown): DashboardRows | null {
  const fields = toFields(value);
  const fearGreed = toFields(fields?.fearGreed);
  if (fields === null || fearGreed === null) return null;
  const weekAgo = toFields(fields.weekAgo) ?? {};
  return {
    ...marketOf(fields),
    indices: parseRows(MARKET_INDICES, fields.indices),
    fearGreed: {
      current: parseRow(FEAR_GREED_INDEX, fearGreed.current),
      previousClose: parseRow(FEAR_GREED_INDEX, fearGreed.previousClose),
      oneWeekAgo: parseRow(FEAR_GREED_POINT, fearGreed.oneWeekAgo),
      oneMonthAgo: parseRow(FEAR_GREED_POINT, fearGreed.oneMonthAgo),
      oneYearAgo: parseRow(FEAR_GREED_POINT, fearGreed.oneYearAgo),
      timeline: parseStoredList('timeline', fearGreed.timeline),
    },
    weekAgo: { ...marketOf(weekAgo), fearGreed: parseRow(FEAR_GREED_POINT, weekAgo.fearGreed) },
  };
}

/** The columns of the lists that are stored apart from the dashboard's rows. */
const LISTS = {
  timeline: FEAR_GREED_POINT,
  components: FEAR_GREED_SESSIONS,
  closes: INDEX_CLOSE,
  stocks: MARKET_STOCKS,
} as const;
export type ListName = keyof typeof LISTS;

/** Parses a list of rows from a store with untrusted contents; empty without valid rows. */
export const parseStoredList = <Name extends ListName>(name: Name, value: unknown) =>
  parseRows(LISTS[name], value);
