import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { focused, follows, tabStops, tabTo } from '../support/accessibility.ts';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { failReads, heldRequests, READS } from '../support/held-requests.ts';
import { openAwake, withoutData } from '../support/opening.ts';
import { awaitWidgets, openDashboard } from '../support/page-states.ts';
import { pagesForTests, sharedVisit } from '../support/pages.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();
let page: Page;

async function newPage(): Promise<Page> {
  page = await fresh({ reducedMotion: 'reduce' });
  return page;
}

async function open(): Promise<void> {
  await openDashboard({ page: await newPage(), url });
}

const what = async () => (await focused(page))?.what ?? null;

/** Waits until the element has the focus, which may move after a change becomes visible. */
const focusOn = (locator: Locator) => locator.and(page.locator(':focus')).waitFor();

const press = async (...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

describe('the tab key', () => {
  sharedVisit(async () => {
    await open();
    // Waits for the widgets, because their final messages change the tab order.
    await awaitWidgets(page);
    // Starts with a key, because a mouse click would move the start of the tab order.
    await page
      .getByRole('button', { name: 'Advanced Market' })
      .evaluate((button: HTMLElement) => button.click());
  });

  it.each([390, 1280])(
    'goes through every control in reading order at %i pixels, each outlined and in view [S1.2]',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const stops = await tabStops(page);
      const names = stops.map((stop) => stop.what);
      const controls = [
        'select Colour theme',
        'button Refresh',
        'button Get the Weekly Signal',
        'tab Overview',
        'button Advanced Market Indicators',
        'summary Where these numbers come from',
      ];
      const places = controls.map((control) => names.findIndex((name) => name.startsWith(control)));
      expect(places, names.join(', ')).not.toContain(-1);
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(stops.filter((stop) => !stop.outlined)).toEqual([]);
      expect(stops.filter((stop) => !stop.seen)).toEqual([]);
      const unnamed = names.filter((name) => !name.includes(' ') || name.endsWith(' '));
      expect(unnamed).toEqual([]);
      const astray = stops.filter((stop, index) => {
        const before = stops[index - 1];
        return before !== undefined && !follows(before, stop);
      });
      expect(astray).toEqual([]);
    },
  );
});

describe('a visitor who uses only the keyboard', () => {
  // The steps are in the order of the page, because each test continues from the focus of the previous one.
  sharedVisit(open);

  /** Starts at the tabs; another test reaches them with the tab key. */
  async function toTimeline(): Promise<void> {
    await page.getByRole('tab', { selected: true }).focus();
    await press('End');
    await page.getByRole('slider', { name: /Fear & Greed/ }).waitFor();
  }

  it('starts a refresh, which is announced and keeps the focus on its button', async () => {
    await tabTo(page, 'button Refresh');
    await press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /^Updated \d\d:\d\d$/ })
      .waitFor({ state: 'attached' });
    await focusOn(page.locator('button[aria-label=Refresh]:enabled'));
  });

  it('moves among the tabs with arrow keys, Home and End, as one tab stop [S2.17] [S4.4]', async () => {
    const chosen = () => page.getByRole('tab', { selected: true }).textContent();
    await tabTo(page, 'tab Overview');
    const steps = [
      ['ArrowRight', 'Timeline'],
      ['ArrowRight', 'Overview'],
      ['ArrowLeft', 'Timeline'],
      ['Home', 'Overview'],
      ['End', 'Timeline'],
    ] as const;
    for (const [key, tab] of steps) {
      await press(key);
      expect(await chosen()).toBe(tab);
      expect(await what()).toBe(`tab ${tab}`);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
    }
    await page.getByRole('slider', { name: /Fear & Greed/ }).waitFor();
    await press('Tab');
    expect(await what()).toMatch(/^slider Fear & Greed index/);
  });

  it('moves along the timeline with arrow keys and hides the tooltip with Escape', async () => {
    await toTimeline();
    const slider = page.getByRole('slider', { name: /Fear & Greed/ });
    await press('Tab');
    const place = async () => Number(await slider.getAttribute('aria-valuenow'));
    const last = Number(await slider.getAttribute('aria-valuemax'));
    expect(await place()).toBe(last);
    await press('ArrowLeft', 'ArrowLeft', 'ArrowRight');
    expect(await place()).toBe(last - 1);
    await press('PageDown');
    expect(await place()).toBe(last - 22);
    await press('Home');
    expect(await place()).toBe(0);
    await press('End');
    expect(await place()).toBe(last);
    const tip = page.locator('.chart-tip');
    expect(await tip.count()).toBe(1);
    await press('Escape');
    expect(await tip.count()).toBe(0);
  });

  it('opens, scrolls and closes the table of the timeline', async () => {
    await toTimeline();
    await tabTo(page, 'summary Values as a table');
    await press('Enter');
    const rows = page.getByRole('region', { name: 'Values of Fear & Greed index' });
    await rows.waitFor();
    const [columns, newest] = await rows.getByRole('row').allInnerTexts();
    expect(columns).toBe('Date (New York)\tIndex\tLabel\tChange');
    expect(newest).toMatch(
      /^[A-Z]\w+ \d+ [A-Z]\w+ \d{4}\b.*\t\d+\.\d\t(?:Extreme )?(?:Fear|Neutral|Greed)\t./,
    );
    await press('Tab');
    expect(await what()).toBe('section Values of Fear & Greed index');
    const scrolled = () => rows.evaluate((element) => element.scrollTop);
    await press('End');
    await expect.poll(scrolled).toBeGreaterThan(100);
    await press('Shift+Tab', 'Enter');
    await rows.waitFor({ state: 'hidden' });
  });

  it('the advanced section opens and closes with Enter and the space bar [S2.29] [S4.5]', async () => {
    const header = page.getByRole('button', { name: 'Advanced Market Indicators' });
    const content = page.getByRole('heading', { name: 'Sector Strength' });
    await tabTo(page, /^button Advanced Market Indicators/);
    expect(await header.getAttribute('aria-expanded')).toBe('false');
    await press('Enter');
    expect(await header.getAttribute('aria-expanded')).toBe('true');
    await content.waitFor();
    await press('Space');
    expect(await header.getAttribute('aria-expanded')).toBe('false');
    await content.waitFor({ state: 'hidden' });
  });

  it('opens the history of a figure, moves along it and returns to its button', async () => {
    await tabTo(page, 'button A year of Market Exposure');
    await press('Enter');
    const history = page.getByRole('dialog', { name: 'Market Exposure' });
    await focusOn(history);
    const slider = history.getByRole('slider');
    await slider.waitFor();
    await tabTo(page, /^slider Market Exposure/);
    await press('Home');
    expect(await slider.getAttribute('aria-valuenow')).toBe('0');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^\w{3} \d+ \w{3} \d{4}: [\d.]+%, /);
    await press('Escape');
    await history.waitFor({ state: 'hidden' });
    expect(await what()).toBe('button A year of Market Exposure');
  });
});

describe('by keyboard alone, a failure', () => {
  it('to refresh is announced politely, and dismissing its notice keeps the focus in the page', async () => {
    await open();
    await failReads(page);
    await tabTo(page, 'button Refresh');
    await press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /^Refresh failed\.$/ })
      .waitFor({ state: 'attached' });
    await focusOn(page.getByRole('button', { name: 'Refresh' }));
    await tabTo(page, 'button Dismiss');
    await press('Enter');
    await page.locator('.notice').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
  });

  it('to load the data is first a status, then an alert with Retry [S2.7] [S4.1]', async () => {
    await newPage();
    const { hold, release } = heldRequests();
    await withoutData(page, url);
    await page.route(READS, hold);
    await openAwake(page, url);
    await page.getByRole('status').filter({ hasText: 'Loading market data...' }).waitFor();
    release('fail');
    await page.getByRole('alert').filter({ hasText: 'Failed to load market data' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await tabTo(page, 'button Retry');
    await press('Enter');
    await page.getByText('Signal Breakdown').waitFor();
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
  });
});

describe('the subscribe dialog', () => {
  sharedVisit(open);

  /** Opens the subscribe dialog by keyboard. After an earlier dialog its button still has the focus. */
  async function openDialog(): Promise<void> {
    if ((await what()) !== 'button Get the Weekly Signal') await tabTo(page, 'button Get the Weekly Signal');
    await press('Enter');
    await page.getByLabel('Email Address').waitFor();
  }

  const inDialog = () => page.evaluate(() => document.activeElement?.closest('dialog') !== null);

  it('moves the focus to its field and keeps the tab key inside [S2.3]', async () => {
    await openDialog();
    expect(await what()).toBe('input Email Address');
    await page.keyboard.type('visitor@example.org');
    const stops = new Set<string>();
    for (let step = 0; step < 8; step += 1) {
      await press('Tab');
      const stop = await focused(page);
      // The browser's own toolbar is a stop between the last control and the first.
      if (stop === null) continue;
      expect(await inDialog()).toBe(true);
      expect(stop.outlined).toBe(true);
      stops.add(stop.what);
    }
    expect([...stops].sort()).toEqual([
      'button Close',
      'button Subscribe',
      'input Also tell me when the verdict changes',
      'input Email Address',
    ]);
    await press('Escape');
  });

  it.each(['Escape', 'its button'])('closes by %s and gives the focus back', async (way) => {
    await openDialog();
    if (way === 'Escape') await press('Escape');
    else {
      await tabTo(page, 'button Close');
      await press('Enter');
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await what()).toBe('button Get the Weekly Signal');
  });

  it('returns to the field with an announced error after Enter', async () => {
    await openDialog();
    allowComplaints(page, FAILED_REQUEST);
    await page.route('**/rest/v1/email_subscribers', (route) =>
      route.fulfill({ status: 409, json: { code: '23505', message: 'duplicate' } }),
    );
    await page.keyboard.type('visitor@example.org');
    await press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This email is already subscribed' }).waitFor();
    const field = page.getByLabel('Email Address');
    await focusOn(field);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await page.unrouteAll();
    await press('Control+a');
    await page.keyboard.type(`${randomUUID()}@example.org`);
    await press('Enter');
    // Check the dialog and its focus in one step, because the dialog closes by itself.
    const told = page.getByRole('status').filter({ hasText: "You're subscribed!" });
    await page.getByRole('dialog').filter({ has: told }).locator('button:focus').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await what()).toBe('button Get the Weekly Signal');
  });
});
