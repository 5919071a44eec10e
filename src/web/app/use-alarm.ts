import { useEffect } from 'react';

// Interval of checks (ms). No event reports that a machine woke from sleep, and timers do not run during the
// sleep.
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
