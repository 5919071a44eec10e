import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import type { FreshOptions } from '../support/fresh-pages.ts';
import { heldRequests, READS } from '../support/held-requests.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { pagesForTests } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { builtSite, staticHost } from '../support/static-host.ts';

/** Fri 20 Nov 2026, 09:05 in New York, before the opening bell. The rows are a week old. */
const START = '2026-11-20T14:05:00Z';

const fresh = pagesForTests();
const host = shared(() => staticHost(builtSite(), MIDDLING));
let page: Page;

/** Counts complete loads. Each reads this table for now, for a week ago, and for a week before its rows, which are old. */
const loads = () => host.asked.filter((path) => path === 'rest/v1/market_breadth').length / 3;

const refreshButton = () => page.getByRole('button', { name: 'Refresh' });

/** Opens the dashboard with a clock that only the test moves. */
async function open(options: FreshOptions = {}): Promise<void> {
  page = await fresh({
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    clock: { startsAt: START },
    ...options,
  });
  host.asked = [];
  await page.goto(host.url);
  await page.getByText('Signal Breakdown').waitFor();
  await page.clock.pauseAt('2026-11-20T14:05:30Z');
}

/** Makes the backend respond to every read with an error. */
function failReads(): void {
  allowComplaints(page, FAILED_REQUEST);
  host.failing = { status: 503, path: /^rest/ };
}

/** Holds back the responses to all reads. Returns a function that releases them. */
async function holdReads(): Promise<() => Promise<void>> {
  const { hold, release } = heldRequests();
  await page.route(READS, hold);
  return async () => {
    release('answer');
    await page.unrouteAll({ behavior: 'wait' });
  };
}

afterEach(() => {
  host.failing = null;
});

describe('the countdown', () => {
  // All tests use one page, whose clock advances from test to test. The last test sets the clock back.
  beforeAll(() => open());

  it('runs from an hour to zero and then reads all data again [S9.1] [S9.2]', async () => {
    await page.getByText(/^Last updated 14:05 your time · Next refresh 59:\d\d$/).waitFor();
    const text = async () => (await page.getByText('Next refresh').innerText()).split(' ').at(-1) ?? '';
    const seconds = (shown: string) => {
      const [minutes = 0, rest = 0] = shown.split(':').map(Number);
      return minutes * 60 + rest;
    };
    const before = seconds(await text());
    await page.clock.runFor(1000);
    expect(seconds(await text())).toBe(before - 1);
    await page.clock.runFor(60_000);
    expect(seconds(await text())).toBe(before - 61);
    await page.clock.runFor((before - 62) * 1000);
    expect(await text()).toBe('0:01');
    expect(loads()).toBe(1);
    await page.clock.runFor(1000);
    await page.getByText(/Next refresh (60:00|59:59)$/).waitFor();
    expect(loads()).toBe(2);
    await page.getByText('Last updated 15:05').waitFor();
  });

  it('is correct after the machine slept without a timer or event', async () => {
    const before = loads();
    await page.clock.setSystemTime('2026-11-20T15:45:00Z');
    await page.clock.runFor(1000);
    await page.getByText(/Next refresh (19|20):\d\d$/).waitFor();
    expect(loads()).toBe(before);
  });

  it.each([
    ['the machine wakes after the deadline', '2026-11-20T19:00:00Z', '19:00', () => page.clock.runFor(1000)],
    [
      'the tab becomes visible after the deadline',
      '2026-11-20T22:00:00Z',
      '22:00',
      () => page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange'))),
    ],
    ['the clock is set back by days', '2026-11-18T10:00:00Z', '10:00', () => page.clock.runFor(1000)],
  ])('ends immediately when %s', async (_, now, shown, notice) => {
    const before = loads();
    await page.clock.setSystemTime(now);
    await notice();
    await page
      .getByText(new RegExp(`^Last updated ${shown} your time · Next refresh (60:00|59:5\\d)$`))
      .waitFor();
    expect(loads()).toBe(before + 1);
  });
});

describe('a refresh', () => {
  beforeAll(() => open());

  it('announces its end and the time of the next one [S4.2]', async () => {
    await page.clock.runFor(600_000);
    await refreshButton().click();
    await page.getByRole('status').filter({ hasText: 'Updated 14:15' }).waitFor({ state: 'attached' });
    await page.getByText(/^Last updated 14:15 your time · Next refresh (60:00|59:59)$/).waitFor();
  });

  it('is unavailable during another refresh [S2.4]', async () => {
    const before = loads();
    const release = await holdReads();
    await refreshButton().click();
    expect(await refreshButton().isDisabled()).toBe(true);
    // During the refresh the next refresh becomes due, the tab becomes visible, and the network returns.
    await page.clock.setSystemTime('2026-11-20T19:00:00Z');
    await page.clock.runFor(3000);
    await page.evaluate(() => {
      document.dispatchEvent(new Event('visibilitychange'));
      dispatchEvent(new Event('online'));
    });
    await release();
    await page.locator('button[aria-label=Refresh]:enabled:focus').waitFor();
    expect(loads()).toBe(before + 1);
  });
});

describe('a refresh that fails', () => {
  beforeAll(() => open());

  it('keeps the data with its age, under a notice that can be dismissed [R5]', async () => {
    failReads();
    await page.clock.runFor(120_000);
    await refreshButton().click();
    const notice = page.locator('.notice');
    await notice
      .getByText(
        'Refresh failed at 14:07. Showing what was read on Fri 20 Nov at 14:05 your time, 2 minutes ago.',
      )
      .waitFor();
    await page.getByRole('status').filter({ hasText: 'Refresh failed.' }).waitFor({ state: 'attached' });
    await page.getByText('Signal Breakdown').waitFor();
    await page.clock.runFor(60_000);
    await notice.getByText('3 minutes ago').waitFor();

    await page.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
    await page.clock.runFor(60_000);
    expect(await notice.count()).toBe(0);
    await refreshButton().click();
    await notice.getByText('Refresh failed at 14:09.').waitFor();

    host.failing = null;
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await notice.waitFor({ state: 'detached' });
    await page.getByText(/^Last updated 14:09 /).waitFor();
  });

  it('is repeated by Retry in its notice', async () => {
    failReads();
    await refreshButton().click();
    const notice = page.locator('.notice');
    await notice.getByText('Refresh failed').waitFor();
    host.failing = null;
    await notice.getByRole('button', { name: 'Retry' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
  });
});

describe('the header', () => {
  it('explains demonstration numbers by touch and by keyboard', async () => {
    host.tables = Object.fromEntries(
      Object.entries(MIDDLING).map(([table, rows]) => [
        table,
        rows.map((row) => ({ ...row, source: 'simulated' })),
      ]),
    );
    await open({ hasTouch: true });
    host.tables = MIDDLING;
    const chip = page.getByRole('button', { name: 'Demo data' });
    const explanation = page
      .getByRole('banner')
      .getByText('These numbers come from a simulated market with invented companies.');
    for (const show of [() => chip.tap(), () => chip.press('Enter')]) {
      expect(await explanation.isVisible()).toBe(false);
      await show();
      await explanation.waitFor();
      const [place, window] = await Promise.all([explanation.boundingBox(), page.viewportSize()]);
      expect(place?.x).toBeGreaterThanOrEqual(0);
      expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual(window?.width ?? 0);
      await page.keyboard.press('Escape');
      await explanation.waitFor({ state: 'hidden' });
    }
  });

  it('updates the market status and the age of the data while the page is open', async () => {
    await open();
    const status = page.locator('.header-market');
    const shows = (text: string) => status.getByText(text).waitFor();
    await shows('Market closed until Fri 20 Nov, 09:30 New York time');
    await page.getByText('4 sessions behind').waitFor();
    // The page cannot read new data, so it updates the status by its own clock.
    failReads();
    await page.clock.setSystemTime('2026-11-20T14:29:58Z');
    await page.clock.runFor(1000);
    await shows('Market closed until Fri 20 Nov, 09:30 New York time');
    await page.clock.runFor(1000);
    await shows('Market open, closes at 16:00 New York time');
    await page.clock.setSystemTime('2026-11-20T22:29:59Z');
    await page.clock.runFor(1000);
    await page.getByText('5 sessions behind').waitFor();
  });
});
