import { readDashboard } from '#queries/read-dashboard.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { sourceOf } from '#views/sources-view.ts';

/**
 * Reads the newest rows as the page's view, and their source. `at` (epoch ms) is the clock of the view and limits no row:
 * `readsUpTo` does. The view has no timeline, which the browser reads when its chart is opened. `withTimeline` reads it
 * too, because a release stores the response. Throws QueryError.
 */
export async function readView(send: SendRead, at: number, productName: string, withTimeline = false) {
  const rows = await readDashboard(send, marketClockAt(at), withTimeline);
  const shown = { ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } };
  return { view: dashboardView(shown, at, productName), source: sourceOf(rows) };
}
