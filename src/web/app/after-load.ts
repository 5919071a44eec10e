const LATEST = 5000;

/** Does work when the browser is idle, within five seconds at most. */
export function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: LATEST });
  else setTimeout(work, LATEST);
}

/** Delay (ms) after which work for later visits no longer competes with the first view of the page. */
export const PAUSE = 6000;

/** Does work for later visits: in an idle moment some seconds after the load, or earlier if the page is hidden. */
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

/** Lays out the skipped sections, one per idle period: input is not delayed, and nothing moves while a visitor scrolls. */
export function layOut(place: HTMLElement | null): void {
  for (const section of place?.children ?? []) {
    if (!(section instanceof HTMLElement) || section.style.contentVisibility !== '') continue;
    whenIdle(() => {
      section.style.contentVisibility = 'visible';
      // Forces the layout of this section now. Otherwise the next frame would lay out several at once.
      section.getBoundingClientRect();
      layOut(place);
    });
    return;
  }
}
