import type { Loaded } from './dependencies.ts';

/** Time between refreshes, and minimum time from a failed one to the next attempt (ms). */
export const REFRESH_INTERVAL = 3_600_000;
const RETRY_INTERVAL = 60_000;

export interface Failure {
  message: string;
  at: number;
  offline: boolean;
}

/** Without data (loading), failed, or with data, which a failed refresh keeps. `nextRefreshAt` is null until the first event. */
export type DashboardState = { nextRefreshAt: number | null } & (
  | { phase: 'loading' }
  | { phase: 'failed'; failure: Failure }
  | {
      phase: 'loaded';
      loaded: Loaded;
      refreshing: boolean;
      /** True if this data replaced other data. */
      refreshed: boolean;
      failure: Failure | null;
    }
);

export type DashboardEvent =
  /** The browser has hydrated a page with data. Its clock may be behind the server's. */
  | { type: 'taken over'; at: number }
  | { type: 'started'; at: number }
  | { type: 'loaded'; loaded: Loaded; at: number }
  /** `kept` is the stored data of an earlier visit, or null. It is shown if there is no data or only older data. */
  | { type: 'failed'; failure: Failure; kept: Loaded | null };

function loadedState(loaded: Loaded) {
  return {
    phase: 'loaded',
    loaded,
    refreshing: false,
    refreshed: false,
    failure: null,
    nextRefreshAt: loaded.at + REFRESH_INTERVAL,
  } as const;
}

export function beginDashboard(initial: Loaded | null): DashboardState {
  if (initial === null) return { phase: 'loading', nextRefreshAt: null };
  return { ...loadedState(initial), nextRefreshAt: null };
}

/** A minute after a failure, or the regular time if that is later; at most one interval away if the clock was changed. */
function nextTry(due: number | null, failedAt: number): number {
  return Math.min(Math.max(due ?? 0, failedAt + RETRY_INTERVAL), failedAt + REFRESH_INTERVAL);
}

/** The state after an event. A failed load keeps the data; only newer data replace it. */
export function reduceDashboard(state: DashboardState, event: DashboardEvent): DashboardState {
  switch (event.type) {
    case 'taken over': {
      if (state.phase !== 'loaded') return state;
      return loadedState({ ...state.loaded, at: Math.min(state.loaded.at, event.at) });
    }
    case 'started': {
      const nextRefreshAt = state.nextRefreshAt ?? event.at + REFRESH_INTERVAL;
      if (state.phase === 'loaded') return { ...state, refreshing: true, nextRefreshAt };
      return { phase: 'loading', nextRefreshAt };
    }
    case 'loaded':
      return {
        ...loadedState(event.loaded),
        refreshed: state.phase === 'loaded',
        nextRefreshAt: event.at + REFRESH_INTERVAL,
      };
    case 'failed': {
      const { failure, kept } = event;
      // A page from the offline cache may be older than the stored data.
      const isNewer = kept !== null && (state.phase !== 'loaded' || kept.at > state.loaded.at);
      const shown = isNewer ? loadedState(kept) : state;
      const nextRefreshAt = nextTry(shown.nextRefreshAt, failure.at);
      if (shown.phase !== 'loaded') return { phase: 'failed', failure, nextRefreshAt };
      return { ...shown, refreshing: false, failure, nextRefreshAt };
    }
  }
}
