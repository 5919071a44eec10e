import type { DashboardRows } from '#views/dashboard-view.ts';
import type { SessionComponents } from '#views/sparkline-view.ts';

/** The Fear & Greed readings of the last 365 days, ascending. */
export type History = DashboardRows['fearGreed']['timeline'];

/** Reads the timeline. Throws an error whose message is for visitors. */
export type LoadHistory = () => Promise<History>;

/** Reads the components of the sessions of the last 365 days, ascending. Throws an error whose message is for visitors. */
export type LoadComponents = () => Promise<readonly SessionComponents[]>;
