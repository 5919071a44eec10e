import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';

/** When a row was observed, and where it comes from. */
export interface Observed {
  readonly created_at: string;
  readonly source: MarketSource | null;
}

const present = (rows: readonly (Observed | null | undefined)[]): Observed[] =>
  rows.filter((row) => row !== undefined && row !== null);

/** The newest row of each of a market's tables that has one. */
export function observedMarket(rows: MarketRows): Observed[] {
  return present([rows.metrics, rows.sectors[0], rows.indicators, rows.sentiment[0], rows.breadth]);
}

/** The newest row of every table that has one: when each group was observed, and where it comes from. */
export function observedRows(rows: DashboardRows): Observed[] {
  return [...present([rows.indices[0], rows.fearGreed.current]), ...observedMarket(rows)];
}

/** When the newest of the rows was observed; null without any. Instants are ISO text in UTC, which sorts as text. */
export function newestInstant(rows: readonly Observed[]): string | null {
  return rows.reduce<string | null>(
    (newest, { created_at }) => (newest === null || created_at > newest ? created_at : newest),
    null,
  );
}
