import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { listened } from './complaints.ts';
import { type FreshPages, freshPages } from './fresh-pages.ts';

/**
 * A test file's part of the shared browser; closing it closes its own pages only. A complaint of any of its pages
 * fails the test unless the test allows it: see `complaints.ts`.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.connect(inject('browserAddress'));
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    // As long as what is polled is waited for: see vitest.config.ts.
    context.setDefaultTimeout(150_000);
    context.on('page', listened);
    return context;
  };
  return browser;
}

/** Fresh pages for the tests of a file, in its part of that browser, which is closed after them. */
export function pagesForTests(): FreshPages {
  let browser: Browser | undefined;
  let fresh: FreshPages = () => Promise.reject(new Error('Pages are there once the tests run.'));
  beforeAll(async () => {
    browser = await openBrowser();
    fresh = freshPages(browser);
  });
  afterAll(async () => {
    await browser?.close();
  });
  return (options) => fresh(options);
}

/**
 * One visit for the tests of a `describe`, none of which minds what the others leave on the page: it costs more than
 * most of them. After one that failed the page is opened anew, so that the next says what is wrong by itself.
 */
export function sharedVisit(open: () => Promise<unknown>): void {
  let isOpen = false;
  beforeEach(async () => {
    if (!isOpen) await open();
    isOpen = true;
  });
  afterEach(({ task }) => {
    isOpen = task.result?.state !== 'fail';
  });
}
