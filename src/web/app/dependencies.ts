import type { IndexClose } from '#views/closes.ts';
import type { DashboardView } from '#views/model.ts';
import type { InputOriginRow } from '#views/origins.ts';
import type { LoadHistory } from '../panels/fear-greed/history.ts';

/** What the page shows, and when that was read, epoch milliseconds. The page never sees rows. */
export interface Loaded {
  view: DashboardView;
  at: number;
}

/** What the page needs of the world. */
export interface Dependencies {
  /** Reads everything the dashboard shows; throws an error whose message a visitor can read. */
  load: () => Promise<DashboardView>;
  /** What an earlier load left in this browser; null without any that can be read. Never throws. */
  kept: () => Promise<Loaded | null>;
  /** The rows of the timeline: those of the last load, else read now; throws like `load`. */
  loadHistory: LoadHistory;
  /** Reads a month of S&P 500 closes, else answers those an earlier read left; throws like `load`. */
  loadCloses: () => Promise<readonly IndexClose[]>;
  /** Reads where the inputs of the rows of an instant (ISO) come from; throws like `load`. */
  loadOrigins: (createdAt: string) => Promise<readonly InputOriginRow[]>;
  /** Adds a subscriber; throws an error whose message a visitor can read. */
  subscribe: (email: string) => Promise<void>;
  /** Epoch milliseconds. */
  now: () => number;
}
