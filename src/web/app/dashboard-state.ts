/** Time between refreshes, and the least time to the next try after one that failed, in milliseconds. */
export const REFRESH_INTERVAL = 3_600_000;
const RETRY_INTERVAL = 60_000;

export interface Loaded<Rows> {
  rows: Rows;
  /** When they were read, epoch milliseconds. */
  at: number;
}

export interface Failure {
  message: string;
  at: number;
}

/**
 * Nothing yet (loading), no data and a reason (failed), or data, which a refresh that fails leaves standing.
 * `nextRefreshAt` is null until the first load begins.
 */
export type DashboardState<Rows> = { nextRefreshAt: number | null } & (
  | { phase: 'loading' }
  | { phase: 'failed'; failure: Failure }
  | {
      phase: 'loaded';
      loaded: Loaded<Rows>;
      refreshing: boolean;
      /** Whether this data took the place of other data. */
      refreshed: boolean;
      failure: Failure | null;
    }
);

export type DashboardEvent<Rows> =
  | { type: 'started'; at: number }
  | { type: 'loaded'; rows: Rows; at: number }
  | { type: 'failed'; message: string; at: number };

/** The state of a page that comes with data already, or without. */
export function beginDashboard<Rows>(initial: Loaded<Rows> | null): DashboardState<Rows> {
  if (initial === null) return { phase: 'loading', nextRefreshAt: null };
  return {
    phase: 'loaded',
    loaded: initial,
    refreshing: false,
    refreshed: false,
    failure: null,
    nextRefreshAt: initial.at + REFRESH_INTERVAL,
  };
}

/** The state after an event. Only a load that succeeds takes data away, by putting newer in its place. */
export function reduceDashboard<Rows>(
  state: DashboardState<Rows>,
  event: DashboardEvent<Rows>,
): DashboardState<Rows> {
  switch (event.type) {
    case 'started': {
      const nextRefreshAt = state.nextRefreshAt ?? event.at + REFRESH_INTERVAL;
      if (state.phase === 'loaded') return { ...state, refreshing: true, nextRefreshAt };
      return { phase: 'loading', nextRefreshAt };
    }
    case 'loaded':
      return {
        phase: 'loaded',
        loaded: { rows: event.rows, at: event.at },
        refreshing: false,
        refreshed: state.phase === 'loaded',
        failure: null,
        nextRefreshAt: event.at + REFRESH_INTERVAL,
      };
    case 'failed': {
      const failure = { message: event.message, at: event.at };
      const nextRefreshAt = Math.max(state.nextRefreshAt ?? 0, event.at + RETRY_INTERVAL);
      if (state.phase === 'loaded') return { ...state, refreshing: false, failure, nextRefreshAt };
      return { phase: 'failed', failure, nextRefreshAt };
    }
  }
}
