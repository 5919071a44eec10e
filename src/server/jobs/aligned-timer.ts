/** Calls `tick` at every multiple of `everyMs` since the epoch, by `clock` (epoch ms), until stopped. */
export type Timer = (everyMs: number, clock: () => number, tick: () => void) => { stop: () => void };

/**
 * A late tick comes once, however many intervals have passed. A clock that is set back or forward moves the next tick by at
 * most one interval. The timer does not keep the process alive.
 */
export const alignedTimer: Timer = (everyMs, clock, tick) => {
  const intervalAt = (now: number) => Math.floor(now / everyMs);
  let lastInterval = intervalAt(clock());
  let timeout: NodeJS.Timeout;

  function waitForTick(): void {
    timeout = setTimeout(onTimeout, everyMs - (clock() % everyMs)).unref();
  }

  function onTimeout(): void {
    const interval = intervalAt(clock());
    // The timeout may end just before the boundary.
    const isTick = interval !== lastInterval;
    lastInterval = interval;
    waitForTick();
    if (isTick) tick();
  }

  waitForTick();
  return { stop: () => clearTimeout(timeout) };
};
