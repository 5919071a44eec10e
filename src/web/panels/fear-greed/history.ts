import type { DashboardRows } from '#views/dashboard-view.ts';

/** The Fear & Greed readings of the last 365 days, ascending. */
export type History = DashboardRows['fearGreed']['timeline'];

/** Reads them; throws an error whose message a visitor can read. */
export type LoadHistory = () => Promise<History>;
