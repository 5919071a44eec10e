import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listenTo } from './complaints.ts';

export interface FreshOptions extends BrowserContextOptions {
  /** The page's clock: either it stands at this time while timers run, or it runs from this time. */
  clock?: { standsAt: string | number } | { startsAt: string | number };
  /** True to use a new context, because scripts and service workers persist in a shared one. */
  own?: boolean;
}

/** Returns a page without any state, as for a new visitor. */
export type FreshPages = (options?: FreshOptions) => Promise<Page>;

const LISTENED = ['console', 'pageerror', 'dialog', 'request', 'requestfailed', 'response'] as const;
const WIDE = { width: 1280, height: 900 } as const;

/** Clears the state of a page: its storage, listeners and routes. */
async function clear(page: Page): Promise<void> {
  for (const event of LISTENED) page.removeAllListeners(event);
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  const address = page.url();
  if (address.startsWith('http')) {
    // Opens an image of the same site: an image runs no script, and another site would start a new process.
    await page.goto(new URL('./icon.svg', address).href);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  }
  await page.context().clearCookies();
  await page.mouse.move(0, 0);
  listenTo(page);
}

/**
 * Returns pages without state, one at a time: each call ends the previous page. A context and its process cost three
 * times as much as the page, so a call with the same options clears and reuses the previous page. Only the browser's
 * cache of immutable files remains.
 */
export function freshPages(browser: Browser): FreshPages {
  let last: { page: Page; asked: string } | undefined;
  return async ({
    clock,
    own = false,
    viewport = WIDE,
    colorScheme = 'light',
    reducedMotion = 'no-preference',
    forcedColors = 'none',
    ...others
  } = {}) => {
    const asked = JSON.stringify([others, clock !== undefined]);
    const isShared = !own && last?.asked === asked && !last.page.isClosed();
    if (isShared && last) await clear(last.page);
    else {
      await last?.page.context().close();
      const context = await browser.newContext({ viewport, serviceWorkers: 'block', ...others });
      last = { page: await context.newPage(), asked: own ? '' : asked };
    }
    const { page } = last as { page: Page };
    await page.emulateMedia({ media: null, colorScheme, reducedMotion, forcedColors });
    if (isShared && viewport !== null) await page.setViewportSize(viewport);
    // A clock that was stopped in the previous page would stay stopped in this one.
    if (isShared && clock) await page.clock.resume();
    if (clock && 'standsAt' in clock) await page.clock.setFixedTime(clock.standsAt);
    if (clock && 'startsAt' in clock) await page.clock.install({ time: clock.startsAt });
    return page;
  };
}
