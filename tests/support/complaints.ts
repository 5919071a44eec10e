import type { Page } from 'playwright-core';

/** Complaints of a page since it was opened, and those that its test allows. */
interface Complaints {
  readonly page: Page;
  readonly heard: string[];
  readonly provoked: RegExp[];
  /** Number of complaints already judged. */
  judged: number;
}

/** A message of the tests' browser only, about a worker that it blocks. */
const OF_THE_TEST = /^warning: Service Worker registration blocked by Playwright/;

/** Messages about a read or an insert without a response or with an error: the browser's and the page's own. */
export const FAILED_REQUEST =
  /^error: (Failed to load resource: .*\/rest\/v1\/|Reading the market failed: |Subscribing failed: )/;

const current = new WeakMap<Page, Complaints>();
let unjudged: Complaints[] = [];

/**
 * Keeps what a page complains of from here on: warnings and errors of its console, among them those of a markup
 * that its script does not take over as it stands, what it throws, and what it asks in a dialog.
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

/** The same of a page that is listened to already, or has only come. */
export const listened = (page: Page): Complaints => current.get(page) ?? listenTo(page);

/** Lets a page complain of what its test provokes, for as long as the page is the test's. */
export function allowComplaints(page: Page, ...provoked: readonly RegExp[]): void {
  listened(page).provoked.push(...provoked);
}

/** All complaints of a page, allowed or not. */
export function complaintsOf(page: Page): readonly string[] {
  return listened(page).heard;
}

/** The unexpected complaints of all pages since the last call. */
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
