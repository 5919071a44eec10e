import { useLayoutEffect, useState } from 'react';

const TICK = 1000;

interface ClockOptions {
  /** The instant from which whole seconds are counted, epoch milliseconds. */
  origin?: number;
  /** The time shown in the markup. The server and the hydrating browser must pass the same one. */
  markupTime?: number | null;
}

/**
 * Returns the text that `read` gives for the current time. Calls `read` every second, counted from `origin`, while the
 * tab is visible, and when it becomes visible again; renders only if the text changed. In the markup and until the
 * first effect the text is that of `markupTime`, or null without one, because a server does not know the visitor's
 * clock. A layout effect updates it before the browser's first paint. `read` must be a stable function.
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
