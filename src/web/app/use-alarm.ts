import { useEffect } from 'react';

// A machine that slept tells nobody that it woke, and a page's timers stood still meanwhile.
const LOOK_AGAIN = 1000;

/**
 * Calls `ring` when the clock reaches `at` (epoch milliseconds; null for never), within a second of waking when
 * the machine or the tab slept past it, and when the clock was set so far back that `at` is further than
 * `furthest` milliseconds away.
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
