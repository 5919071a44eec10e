import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openAwake, withoutData } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const url = inject('demoUrl');
// The browser resolves no host but this machine.
const browser = shared(openBrowser);

/** Records every console message of a page, its errors and its failed requests. */
function listenTo(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`thrown: ${error}`));
  page.on('requestfailed', (request) => {
    if (request.url().startsWith(url)) said.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) said.push(`${response.status()}: ${response.url()}`);
  });
  return said;
}

const isForeign = (address: string) => address.startsWith('http') && !address.startsWith(url);

describe('the page with every external host blocked', () => {
  let page: Page;
  let said: readonly string[];
  const asked: string[] = [];

  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    said = listenTo(page);
    page.on('request', (request) => {
      if (isForeign(request.url())) asked.push(request.url());
    });
    await openAwake(page, url);
  });

  it('the page is complete, with our own drawings in place of the widgets', async () => {
    const sections = [
      'Market indices',
      'Market Signal',
      'Market Sentiment Analysis',
      'Fear & Greed Index',
      'Market Exposure',
      'Overall Strength',
      'Advanced Market Indicators, Sectors & Breadth',
      'Market Insights',
    ];
    for (const name of sections) {
      const words = await page.getByRole('region', { name }).innerText();
      expect(words.length, name).toBeGreaterThan(20);
      expect(words).not.toMatch(/could not be loaded|not responded/);
    }
    for (const name of ['Price Chart', 'Top Gainers and Losers', 'S&P 500 Heatmap']) {
      const widget = page.getByRole('region', { name });
      await widget.scrollIntoViewIfNeeded();
      await widget.locator('.own-drawing').waitFor();
      expect(await widget.getByRole('link').count(), name).toBeGreaterThan(0);
    }
  });

  it('the page requests only the frames of the widgets from other hosts [S7.7]', () => {
    expect(asked.length).toBeGreaterThan(0);
    expect(
      asked.filter((address) => !address.startsWith('https://www.tradingview-widget.com/embed-widget/')),
    ).toEqual([]);
  });

  it('the console stays empty during every action of a visitor', async () => {
    for (const widget of await page.locator('.widget').all()) {
      await widget.scrollIntoViewIfNeeded();
    }
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Updated/ })
      .waitFor({ state: 'attached' });
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('Values as a table').first().click();
    await page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
    await page.getByRole('combobox', { name: 'Colour theme' }).selectOption('Light');
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    await page.getByLabel('Email Address').fill(`${randomUUID()}@example.org`);
    await Promise.all([
      page.getByText("You're subscribed!").waitFor(),
      page.getByRole('button', { name: 'Subscribe', exact: true }).click(),
    ]);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(said).toEqual([]);
  });
});

describe('the page without JavaScript', () => {
  let page: Page;

  beforeAll(async () => {
    page = await browser.newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  });

  it.each([
    ['with its numbers', 'JavaScript is off, so the numbers do not refresh.', 'main noscript'],
    ['without numbers', 'Please switch JavaScript on.', 'body > noscript'],
  ])('the page %s shows its message readably in both themes', async (which, says, place) => {
    if (which === 'without numbers') await withoutData(page, url);
    await page.goto(url);
    const words = page.locator(place);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await words.innerText(), colorScheme).toContain(says);
      const box = await words.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const { left, right } = range.getBoundingClientRect();
        return { left, right };
      });
      expect(box.left, colorScheme).toBeGreaterThanOrEqual(12);
      expect(box.right, colorScheme).toBeLessThanOrEqual(390 - 12);
    }
  });
});
