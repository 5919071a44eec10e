import type { Loaded } from './dependencies.ts';

/** Time between refreshes, and the least time to the next try after one that failed, in milliseconds. */
export const REFRESH_INTERVAL = 3_600_000;
const RETRY_INTERVAL = 60_000;

export interface Failure {
  message: string;
  at: number;
  /** True if the browser was offline at the time. */
  offline: boolean;
}

/**
 * Nothing yet (loading), no data and a reason (failed), or data, which a refresh that fails leaves standing.
 * `nextRefreshAt` is null until the first load begins, or a browser has taken over data that came with the page.
 */
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
  /** The page that came with data is taken over by a browser, whose clock may be behind the server's. */
  | { type: 'taken over'; at: number }
  | { type: 'started'; at: number }
  | { type: 'loaded'; loaded: Loaded; at: number }
  /** `kept` is what an earlier visit left, where there is any: it stands in for data that is not there, or older. */
  | { type: 'failed'; failure: Failure; kept: Loaded | null };

/** The page with data, before anything happened to it. */
function standing(loaded: Loaded) {
  return {
    phase: 'loaded',
    loaded,
    refreshing: false,
    refreshed: false,
    failure: null,
    nextRefreshAt: loaded.at + REFRESH_INTERVAL,
  } as const;
}

/** The state of a page that comes with data already, or without. */
export function beginDashboard(initial: Loaded | null): DashboardState {
  if (initial === null) return { phase: 'loading', nextRefreshAt: null };
  return { ...standing(initial), nextRefreshAt: null };
}

/**
 * A minute after a failure, or at the regular time if that is earlier; never beyond an interval, even if the clock was
 * changed.
 */
function nextTry(due: number | null, failedAt: number): number {
  return Math.min(Math.max(due ?? 0, failedAt + RETRY_INTERVAL), failedAt + REFRESH_INTERVAL);
}

/** The state after an event. Only a load that succeeds takes data away, by putting newer in its place. */
export function reduceDashboard(state: DashboardState, event: DashboardEvent): DashboardState {
  switch (event.type) {
    case 'taken over': {
      if (state.phase !== 'loaded') return state;
      return standing({ ...state.loaded, at: Math.min(state.loaded.at, event.at) });
    }
    case 'started': {
      const nextRefreshAt = state.nextRefreshAt ?? event.at + REFRESH_INTERVAL;
      if (state.phase === 'loaded') return { ...state, refreshing: true, nextRefreshAt };
      return { phase: 'loading', nextRefreshAt };
    }
    case 'loaded':
      return {
        ...standing(event.loaded),
        refreshed: state.phase === 'loaded',
        nextRefreshAt: event.at + REFRESH_INTERVAL,
      };
    case 'failed': {
      const { failure, kept } = event;
      // A page kept without a network may be older than what was read since.
      if (kept !== null && (state.phase !== 'loaded' || kept.at > state.loaded.at)) {
        const shown = standing(kept);
        return { ...shown, failure, nextRefreshAt: nextTry(shown.nextRefreshAt, failure.at) };
      }
      if (state.phase === 'loaded') {
        const nextRefreshAt = nextTry(state.nextRefreshAt, failure.at);
        return { ...state, refreshing: false, failure, nextRefreshAt };
      }
      return { phase: 'failed', failure, nextRefreshAt: nextTry(state.nextRefreshAt, failure.at) };
    }
  }
}
