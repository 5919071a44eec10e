import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { TableClient } from '#queries/client.ts';
import { fetchDashboard, readDashboard } from '#queries/fetch-dashboard.ts';
import { type DashboardRows, dashboardView } from '#views/dashboard.ts';
import type { DashboardView } from '#views/model.ts';

/** What was read, and what the page shows of it. */
export interface PageData {
  rows: DashboardRows;
  view: DashboardView;
}

const clockAt = (now: number) => ({ now, marketDay, startOfMarketDay, newestOpenedSession });

/** Reads what the page shows at an instant. Throws QueryError. */
export async function readPage(client: TableClient, now: number, productName?: string): Promise<PageData> {
  const rows = await fetchDashboard(client, clockAt(now));
  return { rows, view: dashboardView(rows, now, productName) };
}

/** The same for a server: without the history, which the view does not show, unless asked for. Throws QueryError. */
export async function readShownRows(
  client: TableClient,
  now: number,
  productName?: string,
  history = false,
): Promise<PageData> {
  const rows = await readDashboard(client, clockAt(now), { history });
  return { rows, view: dashboardView(rows, now, productName) };
}
