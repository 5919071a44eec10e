import { useLayoutEffect, useState } from 'react';

const TICK = 1000;

interface ClockOptions {
  /** Where seconds are counted from, epoch milliseconds. */
  origin?: number;
  /** The instant that the markup speaks of: one that a server and the browser that takes its page over agree on. */
  markupTime?: number | null;
}

/**
 * What `read` says of the time, asked every second, counted from `origin`, while the tab is seen, and when it is seen
 * again; what shows it renders only when that changes. In the markup and until the first effect it is what is said of
 * `markupTime`, null where there is none, since a server does not know the visitor's clock; a layout effect, so that
 * nothing a browser makes is painted before it. `read` has to stay the same function.
 */
export function useClock(
  now: () => number,
  read: (time: number) => string | null,
  { origin = 0, markupTime = null }: ClockOptions = {},
): string | null {
  const [shown, setShown] = useState(() => (markupTime === null ? null : read(markupTime)));

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const time = now();
      setShown(read(time));
      if (document.visibilityState === 'hidden') return;
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
