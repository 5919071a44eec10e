import { useCallback, useEffect, useReducer, useRef } from 'react';
import { QUERY_ERRORS } from '#queries/errors.ts';
import { beginDashboard, type DashboardState, REFRESH_INTERVAL, reduceDashboard } from './dashboard-state.ts';
import type { Dependencies, Loaded } from './dependencies.ts';
import { useAlarm } from './use-alarm.ts';

function messageOf(error: unknown): string {
  return (error instanceof Error && error.message) || QUERY_ERRORS.failed_to_fetch;
}

/** The dashboard's state, kept fresh every hour, and the means to refresh it now. */
export function useDashboard(
  { load, kept, now }: Dependencies,
  initial: Loaded | null,
): [DashboardState, () => void] {
  const [state, dispatch] = useReducer(reduceDashboard, initial, beginDashboard);
  const loading = useRef(false);
  const hasData = useRef(initial !== null);

  const refresh = useCallback(async () => {
    if (loading.current) return;
    loading.current = true;
    dispatch({ type: 'started', at: now() });
    try {
      const data = await load();
      hasData.current = true;
      dispatch({ type: 'loaded', data, at: now() });
    } catch (error) {
      const failure = { message: messageOf(error), at: now(), offline: !navigator.onLine };
      const earlier = hasData.current ? null : await kept();
      hasData.current ||= earlier !== null;
      dispatch({ type: 'failed', failure, kept: earlier });
    } finally {
      loading.current = false;
    }
  }, [load, kept, now]);

  useEffect(() => {
    if (!hasData.current) void refresh();
  }, [refresh]);

  const failing = state.phase === 'failed' || (state.phase === 'loaded' && state.failure !== null);
  useEffect(() => {
    if (!failing) return;
    addEventListener('online', refresh);
    return () => removeEventListener('online', refresh);
  }, [failing, refresh]);

  useAlarm(state.nextRefreshAt, REFRESH_INTERVAL, now, refresh);
  return [state, refresh];
}
