import { readDashboard } from '#queries/read-dashboard.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { DashboardView } from '#views/model.ts';

/** The page's view at an instant (epoch ms), from its own reads. Throws QueryError. */
export async function readView(send: SendRead, at: number, productName: string): Promise<DashboardView> {
  const rows = await readDashboard(send, marketClockAt(at), { history: true });
  // The browser reads the timeline only when its chart is opened.
  return dashboardView({ ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } }, at, productName);
}

/** The same reads of the rows up to an instant (epoch ms) only. */
export function upTo(send: SendRead, instant: number): SendRead {
  const end = new Date(instant + 1).toISOString();
  return (read) => send({ ...read, filters: [...(read.filters ?? []), ['created_at', 'lt', end]] });
}
