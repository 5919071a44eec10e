import { readDashboard } from '#queries/read-dashboard.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import type { DashboardView } from '#views/model.ts';
import { sourceOf } from '#views/sources-view.ts';

/** Returns the page's view without the timeline. The browser reads the timeline when its chart is opened. */
const viewOf = (rows: DashboardRows, at: number, productName: string): DashboardView =>
  dashboardView({ ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } }, at, productName);

/**
 * Reads the newest rows as the page's view, and their source. `at` (epoch ms) is the clock of the view and limits no row:
 * `readsUpTo` does. Also reads the timeline, although the view does not contain it, because a release stores the response. Throws
 * QueryError.
 */
export async function readViewAndSource(
  send: SendRead,
  at: number,
  productName: string,
): Promise<{ view: DashboardView; source: MarketSource | null }> {
  const rows = await readDashboard(send, marketClockAt(at), true);
  return { view: viewOf(rows, at, productName), source: sourceOf(rows) };
}

/** Reads the newest rows as the page's view at the clock `at` (epoch ms). Does not read the timeline. Throws QueryError. */
export async function readView(send: SendRead, at: number, productName: string): Promise<DashboardView> {
  return viewOf(await readDashboard(send, marketClockAt(at), false), at, productName);
}
