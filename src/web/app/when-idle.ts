const LATEST = 5000;

/** Does work when the browser is idle, within five seconds at most. */
export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: LATEST });
  else setTimeout(work, LATEST);
}
