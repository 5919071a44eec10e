import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findingsOf } from '../support/accessibility.ts';
import { launchBrowser } from '../support/browser.ts';
import { faultsOf } from '../support/layout.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();
const FLIGHT = 14_600;

async function open(path: string, options: Parameters<typeof fresh>[0] = {}): Promise<Page> {
  const page = await fresh(options);
  await page.goto(`${url}${path}`);
  return page;
}

describe('the page about the method', () => {
  it('is linked from the record, and says that its numbers are a demonstration', async () => {
    const page = await fresh();
    await page.goto(`${url}/record`);
    await page.getByRole('link', { name: 'Method' }).click();
    await page.getByRole('heading', { name: 'How the score works' }).waitFor();
    expect(await page.getByText(/^Demonstration: /).count()).toBe(1);
    await page.getByRole('link', { name: 'What would flip the verdict' }).click();
    expect(new URL(page.url()).hash).toBe('#flip');
  });

  it('prints all sections', async () => {
    const page = await open('/method', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('section').count()).toBe(6);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
  });
});

describe('pages in a browser with text of twice the size', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser('--blink-settings=defaultFontSize=32');
  });
  afterAll(() => browser?.close());

  it.each(['/', '/on', '/method', '/risk', '/record', '/quality'])(
    'are never wider than the window: %s',
    async (path) => {
      const page = await browser.newPage();
      await page.goto(`${url}${path}`);
      for (const width of [360, 768, 1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const { fontSize, scrollWidth } = await page.evaluate(() => ({
          fontSize: getComputedStyle(document.documentElement).fontSize,
          scrollWidth: document.documentElement.scrollWidth,
        }));
        expect([width, fontSize, scrollWidth]).toEqual([width, '32px', width]);
      }
    },
  );

  it.each([360, 1280])('show all texts of a chart at %i px', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(url);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const texts = page.getByRole('tabpanel').locator('.chart svg text');
    await texts.first().waitFor();
    const shown = await texts.evaluateAll((elements) =>
      elements.map((element) => {
        const box = element.getBoundingClientRect();
        const { left, right } = element.closest('svg')?.getBoundingClientRect() ?? box;
        return [element.textContent, box.left >= left - 0.5 && box.right <= right + 0.5];
      }),
    );
    expect(shown).toContainEqual(['100', true]);
    expect(shown.filter(([, isInside]) => !isInside)).toEqual([]);
  });

  it('break no number of the gainers and losers', async () => {
    const page = await browser.newPage({ viewport: { width: 768, height: 900 } });
    await openAwake(page, url);
    await page.getByRole('heading', { name: 'Top Gainers and Losers' }).scrollIntoViewIfNeeded();
    const numbers = page.locator('.movers td');
    await numbers.first().waitFor();
    const lines = await numbers.evaluateAll((cells) =>
      cells.map((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getClientRects().length;
      }),
    );
    expect(new Set(lines)).toEqual(new Set([1]));
  });
});

describe.each(['/method', '/risk'])('%s', (path) => {
  it('has only the script of the theme and fits into the first ten packets', async () => {
    const response = await fetch(`${url}${path}`);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';style-src 'sha256-/);
    expect((await response.text()).match(/<script[^>]*>/gi)).toEqual(['<script>']);
    const { answers } = await exchange(url, rawRequest('GET', path, [['Accept-Encoding', 'br']]), {
      answers: 1,
    });
    const [answer] = answers;
    expect((answer?.head.length ?? Number.NaN) + (answer?.body.length ?? 0)).toBeLessThan(FLIGHT);
  });

  describe.each([360, 1280])('at %i px', (width) => {
    it.each(['light', 'dark'] as const)(
      'has no accessibility violation in the %s theme',
      async (colorScheme) => {
        const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
        expect((await findingsOf(page)).violations).toEqual([]);
      },
    );
  });

  it.each([320, 390, 768, 1920])('shows all content at %i px', async (width) => {
    const page = await open(path, { viewport: { width, height: 900 } });
    expect(await faultsOf(page)).toEqual([]);
  });
});
