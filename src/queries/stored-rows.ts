import * as schema from '#schema/columns.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { toFields } from '#schema/parse.ts';

type Fields = Record<string, unknown>;

function marketOf(fields: Fields): MarketRows {
  return {
    metrics: schema.parseRow(schema.MARKET_METRICS, fields.metrics),
    sectors: schema.parseRows(schema.SECTOR_STRENGTH, fields.sectors),
    indicators: schema.parseRow(schema.ADVANCED_INDICATORS, fields.indicators),
    sentiment: schema.parseRows(schema.MARKET_SENTIMENT, fields.sentiment),
    breadth: schema.parseRow(schema.MARKET_BREADTH, fields.breadth),
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
    indices: schema.parseRows(schema.MARKET_INDICES, fields.indices),
    fearGreed: {
      current: schema.parseRow(schema.FEAR_GREED_INDEX, fearGreed.current),
      previousClose: schema.parseRow(schema.FEAR_GREED_INDEX, fearGreed.previousClose),
      oneWeekAgo: schema.parseRow(schema.FEAR_GREED_POINT, fearGreed.oneWeekAgo),
      oneMonthAgo: schema.parseRow(schema.FEAR_GREED_POINT, fearGreed.oneMonthAgo),
      oneYearAgo: schema.parseRow(schema.FEAR_GREED_POINT, fearGreed.oneYearAgo),
      timeline: parseStoredList('timeline', fearGreed.timeline),
    },
    weekAgo: { ...marketOf(weekAgo), fearGreed: schema.parseRow(schema.FEAR_GREED_POINT, weekAgo.fearGreed) },
  };
}

/** The columns of the lists that are stored apart from the dashboard's rows. */
const LISTS = {
  timeline: schema.FEAR_GREED_POINT,
  components: schema.FEAR_GREED_SESSIONS,
  closes: schema.INDEX_CLOSE,
  stocks: schema.MARKET_STOCKS,
} as const;
export type ListName = keyof typeof LISTS;

/** Parses a list of rows from a store with untrusted contents; empty without valid rows. */
export const parseStoredList = <Name extends ListName>(name: Name, value: unknown) =>
  schema.parseRows(LISTS[name], value);
