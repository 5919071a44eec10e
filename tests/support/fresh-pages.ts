import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listenTo } from './complaints.ts';

export interface FreshOptions extends BrowserContextOptions {
  /** The page's clock: it stands still while its timers run, or starts at this instant. */
  clock?: { standsAt: string | number } | { startsAt: string | number };
  /** True to keep other pages out of its context, where scripts and service workers persist. */
  own?: boolean;
}

/** Returns a page as new as a new visitor's. */
export type FreshPages = (options?: FreshOptions) => Promise<Page>;

const LISTENED = ['console', 'pageerror', 'dialog', 'request', 'requestfailed', 'response'] as const;
const WIDE = { width: 1280, height: 900 } as const;

/** Makes of a page of ours, wherever it is, one without memory, that nobody listens to and nothing is routed for. */
async function clear(page: Page): Promise<void> {
  for (const event of LISTENED) page.removeAllListeners(event);
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  const address = page.url();
  if (address.startsWith('http')) {
    // A picture of the same site runs no script, and leaving for another site would cost a process.
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
 * Gives pages as new as a new visitor's, one at a time: to ask for the next ends the last. A context and its
 * process cost three times what the page in it does, so one that asks for the same as the one before it is that
 * one, cleared. Only what its browser has cached of files that never change is left.
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
    // A clock that was stopped in the page before would stand still in this one.
    if (isShared && clock) await page.clock.resume();
    if (clock && 'standsAt' in clock) await page.clock.setFixedTime(clock.standsAt);
    if (clock && 'startsAt' in clock) await page.clock.install({ time: clock.startsAt });
    return page;
  };
}
