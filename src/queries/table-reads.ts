import { ADVANCED_INDICATORS_COLUMNS } from '#schema/advanced-indicators.ts';
import { FEAR_GREED_INDEX_COLUMNS } from '#schema/fear-greed-index.ts';
import { FEAR_GREED_SESSION_COLUMNS } from '#schema/fear-greed-session.ts';
import { INDEX_CLOSE_COLUMNS } from '#schema/index-close.ts';
import { INPUT_ORIGINS_COLUMNS } from '#schema/input-origins.ts';
import { MARKET_BREADTH_COLUMNS } from '#schema/market-breadth.ts';
import { MARKET_INDICES_COLUMNS } from '#schema/market-indices.ts';
import { MARKET_METRICS_COLUMNS } from '#schema/market-metrics.ts';
import { MARKET_SENTIMENT_COLUMNS } from '#schema/market-sentiment.ts';
import { SECTOR_STRENGTH_COLUMNS } from '#schema/sector-strength.ts';
import { FEAR_GREED_SESSIONS_VIEW, ORIGINS_TABLE } from '#schema/tables.ts';
import type { MarketClock, SessionClock } from './market-clock.ts';
import { closingSpan, dayAgo, dayBeforeOpened, timelineFrom } from './market-clock.ts';

export type Comparison = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';

/**
 * One read of a table. `client.ts` sends it through the table client, `read-addresses.ts` returns its address, and
 * `read-statement.ts` its SQL.
 */
export interface TableRead {
  readonly table: string;
  /** Names, separated by commas. */
  readonly columns: string;
  readonly filters?: readonly (readonly [column: string, operator: Comparison, value: string])[];
  /** Sort columns, each as `column.asc` or `column.desc`. */
  readonly order?: readonly string[];
  readonly offset?: number;
  readonly limit: number;
  /** True to request the total number of rows. */
  readonly isCounted?: boolean;
}

/** Maximum number of rows per response of a hosted backend. */
export const PAGE_ROWS = 1000;

const NEWEST_FIRST = ['created_at.desc'];

const newest = (table: string, columns: string, limit: number): TableRead => ({
  table,
  columns,
  order: NEWEST_FIRST,
  limit,
});

/**
 * Section 9: the newest rows of each table. A batch may contain more than three indices, so they have a fixed order.
 */
const INDICES: TableRead = {
  ...newest('market_indices', MARKET_INDICES_COLUMNS, 3),
  order: [...NEWEST_FIRST, 'symbol.asc', 'id.asc'],
};
const FEAR_GREED = newest('fear_greed_index', FEAR_GREED_INDEX_COLUMNS, 1);
/** Fear & Greed values without their components. */
const POINT: TableRead = { ...FEAR_GREED, columns: 'index_value,index_label,created_at' };
const MARKET = {
  metrics: newest('market_metrics', MARKET_METRICS_COLUMNS, 1),
  sectors: newest('sector_strength', SECTOR_STRENGTH_COLUMNS, 11),
  indicators: newest('advanced_indicators', ADVANCED_INDICATORS_COLUMNS, 1),
  sentiment: newest('market_sentiment', MARKET_SENTIMENT_COLUMNS, 3),
  breadth: newest('market_breadth', MARKET_BREADTH_COLUMNS, 1),
};
export type MarketReads = typeof MARKET;

/** The reads of the market's tables at the close of a market day. */
export const marketClose = (clock: MarketClock, day: string) =>
  Object.fromEntries(
    Object.entries(MARKET).map(([name, read]) => [name, closeOf(clock, day, read)]),
  ) as MarketReads;

/** The Fear & Greed value at the close of a market day, without its components. */
export const fearGreedPoint = (clock: MarketClock, day: string) => closeOf(clock, day, POINT);

/**
 * The newest rows of a market day, or of the last session in the five days before it (specification, reading 2). One
 * time range covers both, so one read is enough.
 */
const closeOf = (clock: MarketClock, day: string, read: TableRead): TableRead => ({
  ...read,
  filters: closingSpan(clock, day),
});

/** The Fear & Greed reading at the close of a market day, with its components. */
export const fearGreedClose = (clock: MarketClock, day: string) => closeOf(clock, day, FEAR_GREED);

/** A page of the Fear & Greed timeline from a row number on. Only the first one requests the total number of rows. */
export const timelinePage = (clock: MarketClock, offset: number): TableRead => ({
  ...POINT,
  filters: [['created_at', 'gte', timelineFrom(clock)]],
  order: ['created_at.asc'],
  offset,
  limit: PAGE_ROWS,
  isCounted: offset === 0,
});

/** The components of Fear & Greed at the end of each session of the last 365 days. */
export const sessionComponents = (clock: MarketClock): TableRead => ({
  table: FEAR_GREED_SESSIONS_VIEW,
  columns: FEAR_GREED_SESSION_COLUMNS,
  filters: [['session', 'gte', dayAgo(clock, 'oneYearAgo')]],
  order: ['session.asc'],
  limit: PAGE_ROWS,
});

/** The initial reads of a page, by name. `beforeOpened` is null on days that do not need it. */
export function dashboardReads(clock: SessionClock) {
  const close = (window: Parameters<typeof dayAgo>[1], read: TableRead) =>
    closeOf(clock, dayAgo(clock, window), read);
  const opened = dayBeforeOpened(clock);
  return {
    newest: { indices: INDICES, fearGreed: FEAR_GREED, ...MARKET },
    history: {
      previousClose: close('previousClose', FEAR_GREED),
      beforeOpened: opened === null ? null : fearGreedClose(clock, opened),
      oneWeekAgo: close('oneWeekAgo', POINT),
      oneMonthAgo: close('oneMonthAgo', POINT),
      oneYearAgo: close('oneYearAgo', POINT),
      timeline: timelinePage(clock, 0),
    },
    weekAgo: marketClose(clock, dayAgo(clock, 'oneWeekAgo')),
  };
}
export type DashboardReads = ReturnType<typeof dashboardReads>;

/**
 * The newest S&P 500 price. Rows without a price are left out. The read of a month of prices adds a lower bound and
 * raises the limit.
 */
export const NEWEST_PRICE: TableRead = {
  table: 'market_indices',
  columns: INDEX_CLOSE_COLUMNS,
  filters: [
    ['symbol', 'eq', 'SPX'],
    ['price', 'gt', '0'],
  ],
  order: NEWEST_FIRST,
  limit: 1,
};

/** The origins of the rows with this `created_at` (ISO): one row per input, about twenty in all. */
export const originsRead = (createdAt: string): TableRead => ({
  table: ORIGINS_TABLE,
  columns: INPUT_ORIGINS_COLUMNS,
  filters: [
    ['created_at', 'gte', createdAt],
    // `createdAt` has milliseconds, but a backend may store microseconds, so this matches the whole millisecond.
    ['created_at', 'lt', new Date(Date.parse(createdAt) + 1).toISOString()],
  ],
  limit: 100,
});
