import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';

export interface Observed {
  readonly created_at: string;
  readonly source: MarketSource | null;
}

const present = (rows: readonly (Observed | null | undefined)[]): Observed[] =>
  rows.filter((row) => row !== undefined && row !== null);

export function observedMarket(rows: MarketRows): Observed[] {
  return present([rows.metrics, rows.sectors[0], rows.indicators, rows.sentiment[0], rows.breadth]);
}

/** Time and source of the newest row of each non-empty table. */
export function observedRows(rows: DashboardRows): Observed[] {
  return [...present([rows.indices[0], rows.fearGreed.current]), ...observedMarket(rows)];
}

/** Time of the newest row; null without rows. Times are ISO text in UTC, which sorts as text. */
export function newestInstant(rows: readonly Pick<Observed, 'created_at'>[]): string | null {
  return rows.reduce<string | null>(
    (newest, { created_at }) => (newest === null || created_at > newest ? created_at : newest),
    null,
  );
}
