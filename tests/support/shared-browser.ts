import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of all test files takes connections. */
    browserAddress: string;
  }
}

/** A test file's part of the browser that all of them share; to close it closes its own pages and no others. */
export function openBrowser(): Promise<Browser> {
  return chromium.connect(inject('browserAddress'));
}
