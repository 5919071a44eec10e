import type { IndexClose } from '#views/closes-view.ts';
import type { DashboardView } from '#views/model.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import type { LoadHistory } from '../panels/fear-greed/history.ts';

/** The views that the page shows. The page never sees rows. */
export interface Loaded {
  view: DashboardView;
  /** When the data were last known to be current, epoch milliseconds. */
  at: number;
  /** The line about the record of the weekly signal; absent if the page has no such record to link to. */
  record?: string | null;
  /** True if the server sent older data because its database was unavailable. */
  isStale?: boolean;
}

/** Clock, storage and network of the page. */
export interface Dependencies {
  /** Reads everything the dashboard shows; throws an error whose message a visitor can read. */
  load: () => Promise<Loaded>;
  /** The data that an earlier load stored in this browser, or null if none can be read. Never rejects. */
  kept: () => Promise<Loaded | null>;
  /** The rows of the timeline from the last load, or read now if there are none. Throws like `load`. */
  loadHistory: LoadHistory;
  /** Reads a month of S&P 500 closes, else returns those of an earlier read; throws like `load`. */
  loadCloses: () => Promise<readonly IndexClose[]>;
  /** Reads where the inputs of the rows of an instant (ISO) come from; throws like `load`. */
  loadOrigins: (createdAt: string) => Promise<readonly InputOriginRow[]>;
  /** Adds a subscriber; throws an error whose message a visitor can read. */
  subscribe: (email: string) => Promise<void>;
  /** Epoch milliseconds. */
  now: () => number;
}
