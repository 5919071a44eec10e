import { whenIdle } from './when-idle.ts';

/** Until then a visitor looks at the page for the first time, and everything else would take the line from it (ms). */
export const PAUSE = 6000;

/**
 * Does work that serves later visits: some seconds after the page has loaded when the browser has nothing better
 * to do, or when the visitor turns to something else.
 */
export function afterLoad(work: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    document.removeEventListener('visibilitychange', whenHidden);
    work();
  };
  const whenHidden = () => {
    if (document.visibilityState === 'hidden') once();
  };
  const wait = () => setTimeout(() => whenIdle(once), PAUSE);
  document.addEventListener('visibilitychange', whenHidden);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}
