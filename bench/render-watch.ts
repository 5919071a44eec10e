import type { Locator, Page } from 'playwright-core';

/** Measurements of the page's own observers during an action. */
export interface Seen {
  /** Time from the event to the next paint (ms). The browser reports multiples of 8, from 16 on. */
  nextPaint: number;
  /** The longest task of the action (ms); 0 if none took 50 ms or more. */
  longestTask: number;
  /** Time from the event to the paint of its result (ms); null if no result is awaited. */
  painted: number | null;
}

/** The shortest event that the browser reports (ms). */
const LEAST = 16;

interface Watch {
  events: { began: number; took: number }[];
  tasks: number[];
  /** Times of the first input event and of the paint of the awaited content. */
  began: number | null;
  painted: number | null;
  awaited: string | null;
}

declare global {
  var renderWatch: Watch;
}

/** Runs in the page before the page's own scripts. */
function install(least: number): void {
  const watch: Watch = { events: [], tasks: [], began: null, painted: null, awaited: null };
  globalThis.renderWatch = watch;

  const options: PerformanceObserverInit & { durationThreshold: number } = {
    type: 'event',
    durationThreshold: least,
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const isInteraction = 'interactionId' in entry && entry.interactionId !== 0;
      if (isInteraction) watch.events.push({ began: entry.startTime, took: entry.duration });
    }
  }).observe(options);
  new PerformanceObserver((list) => {
    watch.tasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: 'longtask' });

  for (const type of ['click', 'keydown']) {
    addEventListener(
      type,
      (event) => {
        watch.began ??= event.timeStamp;
      },
      { capture: true },
    );
  }
  new MutationObserver(() => {
    if (watch.awaited === null || document.querySelector(watch.awaited) === null) return;
    watch.awaited = null;
    // The frame's callback runs before its paint; a message sent from it arrives after the paint.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        watch.painted = performance.now();
      };
      port2.postMessage(null);
    });
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

/** Installs the observers; call it before the page is opened. */
export const watchRendering = (page: Page): Promise<unknown> => page.addInitScript(install, LEAST);

/** Waits until the page is idle. */
export async function untilIdle(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let calm = 0;
        const step = (deadline: IdleDeadline) => {
          calm = deadline.timeRemaining() > 20 ? calm + 1 : 0;
          if (calm >= 5) resolve();
          else requestIdleCallback(step);
        };
        requestIdleCallback(step);
      }),
  );
  await page.waitForTimeout(300);
}

/**
 * Moves the mouse to an element. Returns a function that clicks there. Uses the mouse alone, because Playwright's
 * `click` searches the page, which costs more than the measured action if it has thousands of elements.
 */
export async function aimAt(
  locator: Locator,
  offset?: { x: number; y: number },
): Promise<() => Promise<void>> {
  const page = locator.page();
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`${locator} is not visible.`);
  const { x, y } = offset ?? { x: box.width / 2, y: box.height / 2 };
  await page.mouse.move(box.x + x, box.y + y);
  return async () => {
    await page.mouse.down();
    await page.mouse.up();
  };
}

/** The cost of an action until the page is idle again and, with `awaited`, until that content is painted. */
export async function seen(
  page: Page,
  deed: () => Promise<unknown>,
  awaited: string | null = null,
): Promise<Seen> {
  await untilIdle(page);
  await page.evaluate((selector) => {
    Object.assign(globalThis.renderWatch, {
      events: [],
      tasks: [],
      began: null,
      painted: null,
      awaited: selector,
    });
  }, awaited);
  await deed();
  if (awaited !== null) await page.waitForFunction(() => globalThis.renderWatch.painted !== null);
  await untilIdle(page);
  const { events, tasks, began, painted } = await page.evaluate(() => globalThis.renderWatch);
  if (began === null) throw new Error('The action caused no input event.');
  return {
    nextPaint: Math.max(LEAST, ...events.map(({ took }) => took)),
    longestTask: Math.max(0, ...tasks),
    painted: painted === null ? null : painted - began,
  };
}
