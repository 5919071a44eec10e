import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allowComplaints } from '../support/complaints.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { lookAway, openAwake } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { builtSite, rebuilt, type StaticHost, staticHost } from '../support/static-host.ts';

/** Served below a folder, as on a host with several projects. */
const FOLDER = '/market/page/';
const READ_AT = '2026-11-20T14:05:00Z';

const browser = shared(openBrowser);
let host: StaticHost;
let context: BrowserContext;

/** Opens a page at a fixed UTC time, in a browser that keeps its storage from page to page. */
async function newPage(now = READ_AT): Promise<Page> {
  const page = await context.newPage();
  await page.clock.setFixedTime(now);
  return page;
}

/** Browser messages for requests that failed or had no network. */
const AWAY =
  /^error: (Failed to load resource: (net::ERR_|the server responded with a status of 50)|The market could not be read: )/;

async function openDashboard(page: Page): Promise<void> {
  await openAwake(page, host.url);
  await page.getByText('Signal Breakdown').waitFor();
}

/** Waits until the page and its data are stored. */
async function settled(page: Page): Promise<void> {
  await lookAway(page);
  await page.waitForFunction(
    () =>
      navigator.serviceWorker.controller !== null &&
      Object.keys(localStorage).some((key) => key.endsWith('rows')),
  );
}

const shells = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    return await Promise.all(
      names.map(async (name) => {
        const cache = await caches.open(name);
        return { name, urls: (await cache.keys()).map(({ url }) => url) };
      }),
    );
  });

beforeEach(async () => {
  host = await staticHost(builtSite(), MIDDLING, FOLDER);
  context = await browser.newContext({ timezoneId: 'UTC', reducedMotion: 'reduce' });
});

afterEach(async () => {
  await context.close();
  await host.close();
});

describe('the page without a network', () => {
  it('a reload shows the last data with its age', async () => {
    const page = await newPage();
    await openDashboard(page);
    await settled(page);
    allowComplaints(page, AWAY);
    await context.setOffline(true);
    // Advance the clock only without a network. With a network the page would refresh, because a refresh is due.
    await page.clock.setFixedTime('2026-11-20T16:06:00Z');
    await page.reload();
    await page
      .getByText('Offline. Showing what was read on Fri 20 Nov at 14:05 your time, 2 hours ago.')
      .waitFor();
    await page.getByText('Signal Breakdown').waitFor();
    await page.getByText(/^Last updated 14:05 /).waitFor();
    // The stored page includes parts that the visitor never opened before, such as the timeline.
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('slider', { name: 'Fear & Greed index' }).waitFor();

    await context.setOffline(false);
    await page.getByText(/^Last updated 16:06 /).waitFor();
    await page.getByText('Offline.').waitFor({ state: 'detached' });
  });

  it('a page without its stored copy shows the stored data with the reason', async () => {
    await context.close();
    context = await browser.newContext({
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
    });
    const page = await newPage();
    await openDashboard(page);
    await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.endsWith('rows')));
    allowComplaints(page, AWAY);
    host.failing = { status: 503, path: /^rest/ };
    await page.reload();
    await page
      .getByText(/^Refresh failed at 14:05\. Showing what was read on Fri 20 Nov at 14:05 your time,/)
      .waitFor();
    await page.getByText('Signal Breakdown').waitFor();
  });
});

describe('the stored page', () => {
  it('has the files of its build', async () => {
    const page = await newPage();
    await openDashboard(page);
    await settled(page);
    host.asked = [];
    await page.reload();
    await page.getByText('Signal Breakdown').waitFor();
    // The browser requests the page and its data again.
    expect(host.asked.filter((path) => path.startsWith('assets/'))).toEqual([]);
    expect(host.asked).toContain('index.html');
    expect(host.asked).toContain('rest/v1/market_metrics');
    const kept = await shells(page);
    // The service worker does not store the compressed copies of files, which are for static hosts.
    const assets = [...host.site.keys()].filter((path) => /^assets\/.*(?<!\.(br|gz))$/.test(path));
    expect(kept).toHaveLength(1);
    expect(kept[0]?.urls.toSorted()).toEqual(['', ...assets].map((path) => host.url + path).sort());
  });

  it('is replaced by a new deployment immediately, and one earlier cache is kept', async () => {
    const page = await newPage();
    await openDashboard(page);
    await settled(page);
    await page.evaluate((scope) => caches.open(`barometer-shell ${scope} long-ago`), host.url);
    host.site = rebuilt(host.site, 'Built anew');
    await page.reload();
    await page.getByText('Built anew').waitFor();
    await page.getByText('Signal Breakdown').waitFor();
    await expect
      .poll(async () => (await shells(page)).map(({ name }) => name.split(' ').at(-1)).sort())
      .toEqual(['long-ago', 'rebuilt']);
    allowComplaints(page, AWAY);
    host.down = true;
    await page.reload();
    await page.getByText('Built anew').waitFor();
  });

  it('is skipped without an error if storage is full or forbidden', async () => {
    const page = await newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('Full.', 'QuotaExceededError');
      };
      Object.defineProperty(navigator, 'serviceWorker', {
        value: { register: () => Promise.reject(new DOMException('No.', 'SecurityError')) },
      });
    });
    await openDashboard(page);
    await lookAway(page);
    await expect
      .poll(() => host.asked.filter((path) => path === 'rest/v1/market_indices').length)
      .toBeGreaterThan(1);
    expect(errors).toEqual([]);
  });
});
