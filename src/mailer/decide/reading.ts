import type { DashboardRows } from '#schema/dashboard.ts';
import type { InputOriginRow } from '#schema/input-origins.ts';

/** What the signal of a week is decided from: the page's own rows, and where their inputs come from. */
export interface MarketReading {
  readonly rows: DashboardRows;
  /** Of the newest rows; empty where nobody recorded them. */
  readonly origins: readonly InputOriginRow[];
}

const CLOSING_BELL = 16 * 3_600_000;

/**
 * From when a market is looked back on for the signal that falls due at `at` (both epoch ms): a morning counts as the day
 * before it. So the week before ends at the close that its own signal fell due after, and not at the one that followed.
 */
export function readingInstant(at: number): number {
  return at - CLOSING_BELL;
}
