import type { DashboardRows } from '#schema/dashboard.ts';
import type { InputOriginRow } from '#schema/input-origins.ts';

/** What the signal of a week is decided from: the page's own rows, and where their inputs come from. */
export interface MarketReading {
  readonly rows: DashboardRows;
  /** Of the newest rows; empty where nobody recorded them. */
  readonly origins: readonly InputOriginRow[];
}
