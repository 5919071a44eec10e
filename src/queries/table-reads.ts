import * as schema from '#schema/columns.ts';
import { FEAR_GREED_SESSIONS_VIEW, ORIGINS_TABLE, STOCKS_TABLE } from '#schema/tables.ts';
import type { MarketClock, SessionClock } from './market-clock.ts';
import { closingSpan, dayAgo, dayBeforeOpened, timelineStart } from './market-clock.ts';

export type Comparison = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';

/** One read of a table. `client.ts` sends it, `read-addresses.ts` has its address, `read-statement.ts` its SQL. */
export interface TableRead<Columns extends string = string> {
  readonly table: string;
  /** Names, separated by commas, such as the lists of `#schema/columns.ts`. A `!` after a name is not sent. */
  readonly columns: Columns;
  readonly filters?: readonly (readonly [column: string, operator: Comparison, value: string])[];
  /** Sort columns, each as `column.asc` or `column.desc`. */
  readonly order?: readonly string[];
  readonly offset?: number;
  readonly limit: number;
  /** True to request the total number of rows. */
  readonly isCounted?: boolean;
}

export const namesOf = ({ columns }: Pick<TableRead, 'columns'>): string => columns.replaceAll('!', '');

/** Maximum number of rows per response of a hosted backend. */
export const PAGE_ROWS = 1000;

const NEWEST_FIRST = ['created_at.desc'];

const newest = <Columns extends string>(
  table: string,
  columns: Columns,
  limit: number,
): TableRead<Columns> => ({
  table,
  columns,
  order: NEWEST_FIRST,
  limit,
});

/** Section 9: the newest rows of each table. A batch may have more than three indices, so they have a fixed order. */
const INDICES: TableRead<typeof schema.MARKET_INDICES> = {
  ...newest('market_indices', schema.MARKET_INDICES, 3),
  order: [...NEWEST_FIRST, 'symbol.asc', 'id.asc'],
};
const FEAR_GREED = newest('fear_greed_index', schema.FEAR_GREED_INDEX, 1);
const POINT: TableRead<typeof schema.FEAR_GREED_POINT> = { ...FEAR_GREED, columns: schema.FEAR_GREED_POINT };
const MARKET = {
  metrics: newest('market_metrics', schema.MARKET_METRICS, 1),
  sectors: newest('sector_strength', schema.SECTOR_STRENGTH, 11),
  indicators: newest('advanced_indicators', schema.ADVANCED_INDICATORS, 1),
  sentiment: newest('market_sentiment', schema.MARKET_SENTIMENT, 3),
  breadth: newest('market_breadth', schema.MARKET_BREADTH, 1),
};
export type MarketReads = typeof MARKET;

export const closingReads = (clock: MarketClock, day: string) =>
  Object.fromEntries(
    Object.entries(MARKET).map(([name, read]) => [name, closeOf(clock, day, read)]),
  ) as MarketReads;

export const fearGreedPoint = (clock: MarketClock, day: string) => closeOf(clock, day, POINT);

/** The newest rows of a market day, or of the last session in the five days before it (specification, reading 2). */
const closeOf = <Columns extends string>(
  clock: MarketClock,
  day: string,
  read: TableRead<Columns>,
): TableRead<Columns> => ({
  ...read,
  filters: closingSpan(clock, day),
});

export const fearGreedClose = (clock: MarketClock, day: string) => closeOf(clock, day, FEAR_GREED);

export const timelineRead = (clock: MarketClock): typeof POINT => ({
  ...POINT,
  filters: [['created_at', 'gte', timelineStart(clock)]],
  order: ['created_at.asc'],
  offset: 0,
  limit: PAGE_ROWS,
  isCounted: true,
});

/** The rows of a figure in the last 365 days, ascending. */
export function figureYear(clock: MarketClock, { table, column, universe, sector }: schema.StoredFigure) {
  const columns = universe === undefined ? column : (`${column},${universe}` as const);
  return {
    table,
    columns: `${columns},created_at!` as const,
    filters: [
      ['created_at', 'gte', timelineStart(clock)],
      ...(sector === undefined ? [] : [['sector', 'eq', sector] as const]),
    ],
    order: ['created_at.asc'],
  } satisfies Omit<TableRead, 'limit'>;
}

export const sessionComponents = (clock: MarketClock): TableRead<typeof schema.FEAR_GREED_SESSIONS> => ({
  table: FEAR_GREED_SESSIONS_VIEW,
  columns: schema.FEAR_GREED_SESSIONS,
  filters: [['session', 'gte', dayAgo(clock, 'oneYearAgo')]],
  order: ['session.asc'],
  limit: PAGE_ROWS,
});

/** The initial reads of a page, by name. `beforeOpened` is null on days that do not need it. */
export function dashboardReads(clock: SessionClock) {
  const close = <Columns extends string>(window: Parameters<typeof dayAgo>[1], read: TableRead<Columns>) =>
    closeOf(clock, dayAgo(clock, window), read);
  const opened = dayBeforeOpened(clock);
  return {
    newest: { indices: INDICES, fearGreed: FEAR_GREED, ...MARKET },
    earlier: {
      previousClose: close('previousClose', FEAR_GREED),
      beforeOpened: opened === null ? null : fearGreedClose(clock, opened),
      oneWeekAgo: close('oneWeekAgo', POINT),
      oneMonthAgo: close('oneMonthAgo', POINT),
      oneYearAgo: close('oneYearAgo', POINT),
      timeline: timelineRead(clock),
    },
    weekAgo: closingReads(clock, dayAgo(clock, 'oneWeekAgo')),
  };
}
export type DashboardReads = ReturnType<typeof dashboardReads>;

/** The newest S&P 500 price. Rows without a price are left out. */
export const NEWEST_PRICE: TableRead<typeof schema.INDEX_CLOSE> = {
  table: 'market_indices',
  columns: schema.INDEX_CLOSE,
  filters: [
    ['symbol', 'eq', 'SPX'],
    ['price', 'gt', '0'],
  ],
  order: NEWEST_FIRST,
  limit: 1,
};

/** The stocks of the newest row set, the most traded first. */
export const STOCKS: TableRead<typeof schema.MARKET_STOCKS> = {
  table: STOCKS_TABLE,
  columns: schema.MARKET_STOCKS,
  order: ['created_at.desc', 'weight.desc'],
  limit: PAGE_ROWS,
};

/** The origins of the rows with this `created_at` (ISO): one row per input, about twenty in all. */
export const originsRead = (createdAt: string): TableRead<typeof schema.INPUT_ORIGINS> => ({
  table: ORIGINS_TABLE,
  columns: schema.INPUT_ORIGINS,
  filters: [
    ['created_at', 'gte', createdAt],
    // `createdAt` has milliseconds, but a backend may store microseconds, so this matches the whole millisecond.
    ['created_at', 'lt', new Date(Date.parse(createdAt) + 1).toISOString()],
  ],
  limit: 100,
});
