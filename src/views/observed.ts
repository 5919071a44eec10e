import type { DashboardRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';

/** When a row was observed, and where it comes from. */
export interface Observed {
  readonly created_at: string;
  readonly source: MarketSource | null;
}

/** The newest row of every table that has one: when each group was observed, and where it comes from. */
export function observedRows(rows: DashboardRows): Observed[] {
  return [
    rows.indices[0],
    rows.metrics,
    rows.fearGreed.current,
    rows.sectors[0],
    rows.indicators,
    rows.sentiment[0],
    rows.breadth,
  ].filter((row) => row !== undefined && row !== null);
}

/** When the newest of the rows was observed; null without any. Instants are ISO text in UTC, which sorts as text. */
export function newestInstant(rows: readonly Observed[]): string | null {
  return rows.reduce<string | null>(
    (newest, { created_at }) => (newest === null || created_at > newest ? created_at : newest),
    null,
  );
}
