import { startTransition, useCallback, useEffect, useReducer, useRef } from 'react';
import { FAILED_TO_FETCH } from '#queries/failed-to-fetch.ts';
import { beginDashboard, type DashboardState, REFRESH_INTERVAL, reduceDashboard } from './dashboard-state.ts';
import type { Dependencies, Loaded } from './dependencies.ts';

/** A page is at most a minute old when the server sends it, and two minutes longer in a cache network. */
const CURRENT_FOR = 240_000;

function isCurrent(initial: Loaded | null, time: number): boolean {
  return initial !== null && initial.isStale !== true && time - initial.at <= CURRENT_FOR && navigator.onLine;
}

/** The dashboard's state, refreshed every hour, and a function that refreshes it now. */
export function useDashboard(
  { load, kept, now }: Dependencies,
  initial: Loaded | null,
): [DashboardState, () => void] {
  const [state, dispatch] = useReducer(reduceDashboard, initial, beginDashboard);
  const loading = useRef(false);

  const refresh = useCallback(async () => {
    if (loading.current) return;
    loading.current = true;
    dispatch({ type: 'started', at: now() });
    try {
      await nextTask();
      const loaded = await load();
      // A transition keeps the browser responsive during the rendering.
      startTransition(() => dispatch({ type: 'loaded', loaded, at: now() }));
    } catch (error) {
      const message = (error instanceof Error && error.message) || FAILED_TO_FETCH;
      const failure = { message, at: now(), offline: !navigator.onLine };
      dispatch({ type: 'failed', failure, kept: await kept() });
    } finally {
      loading.current = false;
    }
  }, [load, kept, now]);

  useEffect(() => {
    startTransition(() => dispatch({ type: 'taken over', at: now() }));
    if (!isCurrent(initial, now())) void refresh();
  }, [initial, now, refresh]);

  const failing = state.phase === 'failed' || (state.phase === 'loaded' && state.failure !== null);
  useEffect(() => {
    if (!failing) return;
    addEventListener('online', refresh);
    return () => removeEventListener('online', refresh);
  }, [failing, refresh]);

  useAlarm(state.nextRefreshAt, REFRESH_INTERVAL, now, refresh);
  return [state, refresh];
}

/** Resolves in a new task, after the browser has painted the response to a press. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
}

// Interval of checks (ms): no event reports that a machine woke from sleep, and timers do not run during the sleep.
const LOOK_AGAIN = 1000;

/**
 * Calls `ring` when the clock reaches `at` (epoch milliseconds; null for never). After a sleep past `at`, calls it
 * within a second of waking; also if the clock was set back until `at` is more than `furthest` milliseconds away.
 */
export function useAlarm(at: number | null, furthest: number, now: () => number, ring: () => void) {
  useEffect(() => {
    if (at === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      const remaining = at - now();
      if (remaining <= 0 || remaining > furthest) ring();
      else timer = setTimeout(check, Math.min(remaining, LOOK_AGAIN));
    };
    check();
    document.addEventListener('visibilitychange', check);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, [at, furthest, now, ring]);
}
