import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import type { FreshOptions } from '../support/fresh-pages.ts';
import { failReads, heldRequests, READS } from '../support/held-requests.ts';
import { recordShifts, shiftsOnceSettled } from '../support/layout.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { openAwake, withoutData } from '../support/opening.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { pagesForTests, sharedVisit } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

/** The browser counts only shifts inside the window, so these sizes show the whole page. */
const WHOLE_PAGE = [
  { width: 390, height: 9000 },
  { width: 1280, height: 5000 },
] as const;
const WINDOWS = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
] as const;

const url = inject('demoUrl');
const fresh = pagesForTests();
let page: Page;
let recording: Awaited<ReturnType<typeof recordShifts>> | undefined;

/** Makes a page record shifts from its first paint on, and ends the recording of the previous page. */
async function record(opened: Page): Promise<void> {
  await recording?.dispose();
  recording = await recordShifts(opened);
}

/**
 * Returns the files that the page got from the cache of the browser. The list must be empty, so that all files arrive
 * as late as possible.
 */
const fromCache = () =>
  page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const own = files.filter(({ name }) => name.startsWith(`${location.origin}/assets/`));
    return own.filter(({ transferSize }) => transferSize === 0).map(({ name }) => name);
  });

/**
 * Repeats requests for the page and its reads until the response is current. A busy server responds after a second with
 * its last numbers, and the page shows a notice until the next refresh.
 */
async function onlyCurrent(opened: Page): Promise<void> {
  const isRead = ({ origin, pathname }: URL) =>
    origin === new URL(url).origin && (pathname === '/' || pathname.startsWith('/rest/v1/'));
  await opened.route(isRead, async (route) => {
    let response = await route.fetch();
    while (response.headers().age !== undefined) response = await route.fetch();
    await route.fulfill({ response });
  });
}
const dashboard = () => page.getByText('Signal Breakdown').waitFor();
/** Clicks by script, because the browser excuses layout shifts after a visitor's click. */
const pressed = (name: string) =>
  page.getByRole('button', { name }).evaluate((button: HTMLElement) => button.click());

/** Holds back the responses to all reads. Returns a function that releases them or fails them. */
async function holdReads(): Promise<(how: 'answer' | 'fail') => Promise<void>> {
  const { hold, release } = heldRequests();
  await page.route(READS, hold);
  return async (how) => {
    release(how);
    await page.waitForLoadState();
  };
}

/** Opens the page without data, waiting for its reads. */
async function openLoading(options: FreshOptions): Promise<(how: 'answer' | 'fail') => Promise<void>> {
  page = await fresh(options);
  await record(page);
  await onlyCurrent(page);
  await withoutData(page, url);
  const release = await holdReads();
  await openAwake(page, url);
  await page.getByText('Loading market data...').waitFor();
  expect(await shiftsOnceSettled(page)).toEqual([]);
  return release;
}

/** Opens the page with its data. No element may move during hydration. */
async function openDashboard(options: FreshOptions, routed?: string): Promise<void> {
  page = await fresh(options);
  await record(page);
  await onlyCurrent(page);
  if (routed !== undefined) await page.route(routed, (route) => route.continue());
  await openAwake(page, url);
  expect(await shiftsOnceSettled(page)).toEqual([]);
}

describe.each(WHOLE_PAGE)('nothing moves by itself in a window of $width by $height', (viewport) => {
  it('between the first paint of the complete page and the interactive page', async () => {
    await openDashboard({ viewport }, '**/assets/*');
    expect(await fromCache()).toEqual([]);
  });

  it('between the first paint and the complete dashboard, over slow responses', async () => {
    const release = await openLoading({ viewport });
    await release('answer');
    await dashboard();
    expect(await shiftsOnceSettled(page)).toEqual([]);
    expect(await fromCache()).toEqual([]);
  });
});

describe.each(WHOLE_PAGE)('nothing moves by itself in the whole page of $width pixels', (viewport) => {
  it('during an error and a retry', async () => {
    const release = await openLoading({ viewport });
    await release('fail');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await shiftsOnceSettled(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await onlyCurrent(page);
    const releaseAgain = await holdReads();
    await pressed('Retry');
    await page.getByText('Loading market data...').waitFor();
    await releaseAgain('answer');
    await dashboard();
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });
});

describe('nothing moves by itself when the numbers are days old', () => {
  const rows = shared(pageOverRows);
  beforeAll(async () => {
    await rows.put(MIDDLING);
  });
  afterAll(async () => {
    await recording?.dispose();
    recording = undefined;
  });

  it.each([390, 640, 768, 900, 1280])('at %i pixels', async (width) => {
    page = await rows.open({
      now: '2026-11-24T21:30:00.000Z',
      viewport: { width, height: 900 },
      before: record,
    });
    await page.getByText(/sessions? behind/).waitFor();
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });
});

describe.each(WINDOWS)('nothing moves by itself at $width pixels', (viewport) => {
  // Visits with clicks come last, because a click excuses layout shifts soon after it.
  sharedVisit(() => openDashboard({ viewport }));

  it('when the theme changes', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });

  it('when the widgets do not load', async () => {
    for (const place of await page.locator('.widget').all()) {
      await place.scrollIntoViewIfNeeded();
      await place.locator('.own-drawing, .own-words').first().waitFor();
      expect(await shiftsOnceSettled(page)).toEqual([]);
    }
  });

  it('during a refresh, after it, and when one fails', async () => {
    await pressed('Refresh');
    await page
      .getByRole('status')
      .filter({ hasText: /^Updated/ })
      .waitFor({ state: 'attached' });
    expect(await shiftsOnceSettled(page)).toEqual([]);
    await failReads(page);
    await pressed('Refresh');
    await page.getByText('Refresh failed at').waitFor();
    expect(await shiftsOnceSettled(page)).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('after a tab or the advanced section has opened', async () => {
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('slider', { name: /Fear & Greed/ }).waitFor();
    await page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
    await page.getByRole('heading', { name: 'Sector Strength' }).waitFor();
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });

  it('in the subscribe dialog, on failure and on success', async () => {
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    allowComplaints(page, FAILED_REQUEST);
    const subscribe = async (status: number, json: unknown) => {
      await page.route('**/rest/v1/email_subscribers', (route) => route.fulfill({ status, json }));
      await page.getByLabel('Email Address').fill(`visitor-${status}@example.org`);
      await pressed('Subscribe');
    };
    // After success the dialog closes itself after two seconds, which is too short for a busy machine.
    await page.evaluate(() => {
      const start = setTimeout;
      Object.assign(window, {
        setTimeout: (work: () => void, ms?: number) => (ms === 2_000 ? 0 : start(work, ms)),
      });
    });
    const placeWith = (hasText: string) => page.getByRole('dialog').filter({ hasText }).boundingBox();
    const before = await placeWith('Get the Weekly Signal');
    await subscribe(409, { code: '23505', message: 'duplicate' });
    expect(await placeWith('This email is already subscribed')).toEqual(before);
    await subscribe(201, null);
    expect(await placeWith("You're subscribed!")).toEqual(before);
    expect(await shiftsOnceSettled(page)).toEqual([]);
  });
});
