import type { Loaded, PageData } from './dependencies.ts';

/** Time between refreshes, and the least time to the next try after one that failed, in milliseconds. */
export const REFRESH_INTERVAL = 3_600_000;
const RETRY_INTERVAL = 60_000;

export interface Failure {
  message: string;
  at: number;
  /** Whether the browser knew of no network then. */
  offline: boolean;
}

/**
 * Nothing yet (loading), no data and a reason (failed), or data, which a refresh that fails leaves standing.
 * `nextRefreshAt` is null until the first load begins.
 */
export type DashboardState = { nextRefreshAt: number | null } & (
  | { phase: 'loading' }
  | { phase: 'failed'; failure: Failure }
  | {
      phase: 'loaded';
      loaded: Loaded;
      refreshing: boolean;
      /** Whether this data took the place of other data. */
      refreshed: boolean;
      failure: Failure | null;
    }
);

export type DashboardEvent =
  | { type: 'started'; at: number }
  | { type: 'loaded'; data: PageData; at: number }
  /** `kept` is what an earlier visit left, where there is any: it stands in for data that is not there. */
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
  return initial === null ? { phase: 'loading', nextRefreshAt: null } : standing(initial);
}

/** A minute after a failure, or when it was due anyway; never beyond an interval, whatever the clock did. */
function nextTry(due: number | null, failedAt: number): number {
  return Math.min(Math.max(due ?? 0, failedAt + RETRY_INTERVAL), failedAt + REFRESH_INTERVAL);
}

/** The state after an event. Only a load that succeeds takes data away, by putting newer in its place. */
export function reduceDashboard(state: DashboardState, event: DashboardEvent): DashboardState {
  switch (event.type) {
    case 'started': {
      const nextRefreshAt = state.nextRefreshAt ?? event.at + REFRESH_INTERVAL;
      if (state.phase === 'loaded') return { ...state, refreshing: true, nextRefreshAt };
      return { phase: 'loading', nextRefreshAt };
    }
    case 'loaded':
      return { ...standing({ ...event.data, at: event.at }), refreshed: state.phase === 'loaded' };
    case 'failed': {
      const { failure, kept } = event;
      if (state.phase === 'loaded') {
        const nextRefreshAt = nextTry(state.nextRefreshAt, failure.at);
        return { ...state, refreshing: false, failure, nextRefreshAt };
      }
      if (kept !== null) {
        const shown = standing(kept);
        return { ...shown, failure, nextRefreshAt: nextTry(shown.nextRefreshAt, failure.at) };
      }
      return { phase: 'failed', failure, nextRefreshAt: nextTry(state.nextRefreshAt, failure.at) };
    }
  }
}
