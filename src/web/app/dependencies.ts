import type { DashboardRows } from '#views/dashboard.ts';

export type Rows = DashboardRows;

/** What the page needs of the world. */
export interface Dependencies {
  /** Reads everything the dashboard shows; throws an error whose message a visitor can read. */
  load: () => Promise<Rows>;
  /** Adds a subscriber; throws an error whose message a visitor can read. */
  subscribe: (email: string) => Promise<void>;
  /** Epoch milliseconds. */
  now: () => number;
}
