import type { Page } from 'playwright-core';

/** Messages of a page since it was opened, and those that its test allows. */
interface Complaints {
  readonly page: Page;
  readonly heard: string[];
  readonly provoked: RegExp[];
  /** Number of messages already checked. */
  judged: number;
}

/** The message of the browser that the tests have blocked the service worker. */
const OF_THE_TEST = /^warning: Service Worker registration blocked by Playwright/;

/** Messages of the browser and the page about a read or an insert that failed or got no response. */
export const FAILED_REQUEST =
  /^error: (Failed to load resource: .*\/rest\/v1\/|The market could not be read: |Subscribing failed: )/;

const current = new WeakMap<Page, Complaints>();
let unjudged: Complaints[] = [];

/**
 * Records the messages of a page from now on: console warnings and errors (including hydration mismatches), exceptions
 * and dialogs.
 */
export function listenTo(page: Page): Complaints {
  const complaints: Complaints = { page, heard: [], provoked: [], judged: 0 };
  const { heard } = complaints;
  current.set(page, complaints);
  unjudged.push(complaints);
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    const text = `${message.type()}: ${message.text()} ${message.location().url}`;
    if (!OF_THE_TEST.test(text)) heard.push(text);
  });
  page.on('pageerror', (error) => heard.push(`thrown: ${error}`));
  page.on('dialog', async (dialog) => {
    heard.push(`asked: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return complaints;
}

/** The messages of a page; starts recording if the page is new. */
export const listened = (page: Page): Complaints => current.get(page) ?? listenTo(page);

/** Allows the messages that a test provokes, until the page is reused. */
export function allowComplaints(page: Page, ...provoked: readonly RegExp[]): void {
  listened(page).provoked.push(...provoked);
}

/** All messages of a page, allowed or not. */
export function complaintsOf(page: Page): readonly string[] {
  return listened(page).heard;
}

/** The unexpected messages of all pages since the last call. */
export function takeComplaints(): string[] {
  const unprovoked = unjudged.flatMap((complaints) => {
    const { heard, provoked } = complaints;
    const fresh = heard.slice(complaints.judged);
    complaints.judged = heard.length;
    return fresh.filter((text) => !provoked.some((pattern) => pattern.test(text)));
  });
  unjudged = unjudged.filter(
    (complaints) => current.get(complaints.page) === complaints && !complaints.page.isClosed(),
  );
  return unprovoked;
}
