import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { openAwake, withoutData } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const url = inject('demoUrl');
// The browser resolves no host but this machine.
const browser = shared(openBrowser);

const isForeign = (address: string) => address.startsWith('http') && !address.startsWith(url);

it('the page requests only the frames of the widgets from other hosts [S7.7]', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (isForeign(request.url())) asked.push(request.url());
  });
  await openAwake(page, url);
  for (const widget of await page.locator('.widget').all()) {
    await widget.scrollIntoViewIfNeeded();
    await widget.locator('.own-drawing').waitFor();
  }
  expect(asked.length).toBeGreaterThan(0);
  expect(
    asked.filter((address) => !address.startsWith('https://www.tradingview-widget.com/embed-widget/')),
  ).toEqual([]);
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
