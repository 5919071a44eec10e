import { useEffect } from 'react';

// A timer asked for more than this fires at once.
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Calls `ring` when the clock reaches `at` (epoch milliseconds; null for never). A tab that slept past it
 * rings when it wakes.
 */
export function useAlarm(at: number | null, now: () => number, ring: () => void) {
  useEffect(() => {
    if (at === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      const remaining = at - now();
      if (remaining <= 0) ring();
      else timer = setTimeout(check, Math.min(remaining, LONGEST_TIMER));
    };
    check();
    document.addEventListener('visibilitychange', check);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', check);
    };
  }, [at, now, ring]);
}
