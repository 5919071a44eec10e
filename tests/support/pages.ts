import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { listened } from './complaints.ts';
import { type FreshPages, freshPages } from './fresh-pages.ts';

/**
 * A test file's part of the shared browser; closing it closes only its own pages. A console warning or error of its
 * pages fails the test unless the test allows it: see `complaints.ts`.
 */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.connect(inject('browserAddress'));
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    // Equals the time limit for polling in vitest.config.ts.
    context.setDefaultTimeout(150_000);
    context.on('page', listened);
    return context;
  };
  return browser;
}

/** Pages without state for the tests of a file, in a browser part that closes after them. */
export function pagesForTests(): FreshPages {
  let browser: Browser | undefined;
  let fresh: FreshPages = () => Promise.reject(new Error('No page can be opened before the tests run.'));
  beforeAll(async () => {
    browser = await openBrowser();
    fresh = freshPages(browser);
  });
  afterAll(() => browser?.close());
  return (options) => fresh(options);
}

/**
 * One visit for all tests of a `describe` that do not depend on the page's state, because a visit costs more than most
 * tests. After a failed test the page is opened again, so that the next failure is its own.
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
