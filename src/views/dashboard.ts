import type { DashboardRows } from '#schema/dashboard.ts';
import type { DashboardView } from './model.ts';

export type { DashboardRows } from '#schema/dashboard.ts';

/** Every panel of the page from the rows read; `now` in epoch milliseconds decides their age. */
export declare function dashboardView(rows: DashboardRows, now: number): DashboardView;
