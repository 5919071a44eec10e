import type { IndexClose } from '#views/closes-view.ts';
import type { DashboardView, TrailView } from '#views/model.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import type { MarketStockRow } from '#views/stocks-view.ts';
import type { AdvancedContentOf } from '../panels/advanced/advanced-panel.tsx';
import type { LoadComponents, LoadHistory } from '../panels/fear-greed/loaded-timeline.tsx';
import type { GaugeOf } from '../panels/fear-greed/overview.tsx';
import type { LoadFigure } from '../panels/history/figure-history.tsx';

/** The views that the page shows. The page never sees rows. */
export interface Loaded {
  view: DashboardView;
  /** When the data were last known to be current, epoch milliseconds. */
  at: number;
  /** The line about the record of the weekly signal; absent if there is no record to link to. */
  record?: string | null;
  /** The line about the risk outlook; absent without a current one. */
  risk?: string | null;
  /** The scores of the last weeks; absent without a record. */
  trail?: TrailView | null;
  /** True if the server sent older data because its database was unavailable. */
  isStale?: boolean;
}

/** Clock, storage, network and lazy code of the page. */
export interface Dependencies {
  /** Reads everything the dashboard shows; throws an error whose message a visitor can read. */
  load: () => Promise<Loaded>;
  /** The data that an earlier load stored in this browser, or null if none can be read. Never rejects. */
  kept: () => Promise<Loaded | null>;
  /**
   * Returns the rows of the timeline from the last load, or reads them if there are none. Throws an error whose message
   * a visitor can read.
   */
  loadHistory: LoadHistory;
  /**
   * Reads the components of Fear & Greed at the end of each session of the last 365 days; if that fails, returns the
   * rows of an earlier read. Throws an error whose message a visitor can read.
   */
  loadComponents: LoadComponents;
  /** Reads a figure of the last 365 days, ascending. Throws an error whose message a visitor can read. */
  loadFigure: LoadFigure;
  /**
   * Reads a month of S&P 500 closes; if that fails, returns the closes of an earlier read. Throws an error whose
   * message a visitor can read.
   */
  loadCloses: () => Promise<readonly IndexClose[]>;
  /**
   * Reads the stocks of the newest row set; if that fails, returns the stocks of an earlier read. Throws an error whose
   * message a visitor can read.
   */
  loadStocks: () => Promise<readonly MarketStockRow[]>;
  /**
   * Reads the origins of the inputs of the rows of an instant (ISO). Throws an error whose message a visitor can read.
   */
  loadOrigins: (createdAt: string) => Promise<readonly InputOriginRow[]>;
  /** Adds a subscriber, with `alerts` also for changes of the verdict; throws an error whose message a visitor can read. */
  subscribe: (email: string, alerts: boolean) => Promise<void>;
  AdvancedContent: AdvancedContentOf;
  Gauge: GaugeOf;
  /** Epoch milliseconds. */
  now: () => number;
}
