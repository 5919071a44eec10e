import type { IndexClose } from '#views/closes-view.ts';
import type { DashboardView } from '#views/dashboard-view.ts';
import type { InputOriginRow } from '#views/origins-view.ts';
import type { MarketStockRow } from '#views/stocks-view.ts';
import type { TrailView } from '#views/trail-view.ts';
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

/** Clock, storage, network and lazy code of the page. Errors of reads are for visitors; a stored read falls back to old rows. */
export interface Dependencies {
  load: () => Promise<Loaded>;
  /** The data that an earlier load stored in this browser, or null if none can be read. Never rejects. */
  kept: () => Promise<Loaded | null>;
  /** The rows of the timeline from the last load, or read if there are none. */
  loadHistory: LoadHistory;
  /** The components of Fear & Greed at the end of each session of the last 365 days; stored. */
  loadComponents: LoadComponents;
  /** A figure of the last 365 days, ascending. */
  loadFigure: LoadFigure;
  /** A month of S&P 500 closes; stored. */
  loadCloses: () => Promise<readonly IndexClose[]>;
  /** The stocks of the newest row set; stored. */
  loadStocks: () => Promise<readonly MarketStockRow[]>;
  /** The origins of the inputs of the rows of an instant (ISO). */
  loadOrigins: (createdAt: string) => Promise<readonly InputOriginRow[]>;
  /** Adds a subscriber, with `alerts` also for changes of the verdict. */
  subscribe: (email: string, alerts: boolean) => Promise<void>;
  AdvancedContent: AdvancedContentOf;
  Gauge: GaugeOf;
  now: () => number;
}
