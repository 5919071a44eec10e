import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { TableClient } from '#queries/client.ts';
import { fetchDashboard } from '#queries/fetch-dashboard.ts';
import { type DashboardRows, dashboardView } from '#views/dashboard.ts';
import type { DashboardView } from '#views/model.ts';

/** What was read, and what the page shows of it. */
export interface PageData {
  rows: DashboardRows;
  view: DashboardView;
}

/** Reads what the page shows at an instant, in a browser or in the server. Throws QueryError. */
export async function readPage(client: TableClient, now: number, productName?: string): Promise<PageData> {
  const rows = await fetchDashboard(client, { now, marketDay, startOfMarketDay, newestOpenedSession });
  return { rows, view: dashboardView(rows, now, productName) };
}
