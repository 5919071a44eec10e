import { useLayoutEffect, useState } from 'react';

const TICK = 1000;

/**
 * What `read` says of the time, asked every second, counted from `origin`, and when the tab wakes; what shows
 * it renders only when that changes. Null in the markup and until the first effect, since a server does not
 * know the visitor's clock; a layout effect, so that nothing is painted before it. `read` has to stay the same
 * function.
 */
export function useClock(
  now: () => number,
  read: (time: number) => string | null,
  origin = 0,
): string | null {
  const [shown, setShown] = useState<string | null>(null);

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const time = now();
      setShown(read(time));
      const past = (((time - origin) % TICK) + TICK) % TICK;
      timer = setTimeout(tick, TICK - past);
    };
    tick();
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [now, read, origin]);

  return shown;
}
