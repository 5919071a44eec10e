const LATEST = 5000;

/** Does work that nobody waits for once the browser has nothing better to do, within five seconds. */
export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: LATEST });
  else setTimeout(work, LATEST);
}
