import { whenIdle } from './when-idle.ts';

/** Delay (ms) after which work for later visits no longer competes with the first view of the page. */
export const PAUSE = 6000;

/**
 * Does work for later visits: when the browser is idle some seconds after the page has loaded, or earlier if the
 * page is hidden.
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
