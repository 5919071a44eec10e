import type { DashboardRows } from '#schema/dashboard.ts';
import type { TableClient } from './client.ts';
import type { MarketClock } from './market-clock.ts';

export type { DashboardRows } from '#schema/dashboard.ts';

/** Reads all seven groups in parallel. Throws QueryError, with a message fit to show, when one fails. */
export declare function fetchDashboard(
  client: TableClient | null,
  clock: MarketClock,
): Promise<DashboardRows>;
