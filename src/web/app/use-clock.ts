import { useEffect, useState } from 'react';

/**
 * The time, renewed at every full `step` milliseconds before or after `origin` and when the tab wakes. Null
 * in the markup and until the first effect: a server does not know the visitor's clock.
 */
export function useClock(now: () => number, step: number, origin: number): number | null {
  const [time, setTime] = useState<number | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const at = now();
      setTime(at);
      const past = (((at - origin) % step) + step) % step;
      timer = setTimeout(tick, step - past);
    };
    tick();
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [now, step, origin]);

  return time;
}
