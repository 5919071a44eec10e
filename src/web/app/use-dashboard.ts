import { useCallback, useEffect, useReducer, useRef } from 'react';
import { beginDashboard, type DashboardState, type Loaded, reduceDashboard } from './dashboard-state.ts';
import type { Dependencies, Rows } from './dependencies.ts';
import { useAlarm } from './use-alarm.ts';

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || 'Failed to fetch data';
}

/** The dashboard's state, kept fresh every hour, and the means to refresh it now. */
export function useDashboard(
  { load, now }: Dependencies,
  initial: Loaded<Rows> | null,
): [DashboardState<Rows>, () => void] {
  const [state, dispatch] = useReducer(reduceDashboard<Rows>, initial, beginDashboard<Rows>);
  const loading = useRef(false);

  const refresh = useCallback(async () => {
    if (loading.current) return;
    loading.current = true;
    dispatch({ type: 'started', at: now() });
    try {
      const rows = await load();
      dispatch({ type: 'loaded', rows, at: now() });
    } catch (error) {
      dispatch({ type: 'failed', message: messageOf(error), at: now() });
    } finally {
      loading.current = false;
    }
  }, [load, now]);

  const hasData = initial !== null;
  useEffect(() => {
    if (!hasData) void refresh();
  }, [hasData, refresh]);

  useAlarm(state.nextRefreshAt, now, refresh);
  return [state, refresh];
}
