import { describe, expect, inject, it } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { shared } from '../support/shared.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

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
});

describe('pages in a browser with text of twice the size', () => {
  const browser = shared(() => launchBrowser('--blink-settings=defaultFontSize=32'));
  it.each(['/', '/on', '/method', '/risk', '/record', '/quality'])(
    'are never wider than the window: %s',
    async (path) => {
      const page = await browser.newPage();
      await page.goto(`${url}${path}`);
      for (const width of [320, 360, 768, 1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const { fontSize, scrollWidth } = await page.evaluate(() => ({
          fontSize: getComputedStyle(document.documentElement).fontSize,
          scrollWidth: document.documentElement.scrollWidth,
        }));
        expect([width, fontSize, scrollWidth]).toEqual([width, '32px', width]);
      }
    },
  );

  it('show the numbers of an input below its name in a narrow window', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 900 } });
    await page.goto(url);
    const gaps = await page.locator('.breakdown tbody tr').evaluateAll((rows) =>
      rows.flatMap(({ children: [name, ...cells] }) => {
        const end = name?.getBoundingClientRect().bottom ?? 0;
        return cells.map((cell) => cell.getBoundingClientRect().top - end);
      }),
    );
    expect(gaps).toHaveLength(35);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  });

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

  it('show the tip of the price chart within the chart', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 900 } });
    await openAwake(page, url);
    await page.getByRole('heading', { name: 'Price Chart' }).scrollIntoViewIfNeeded();
    await page.getByRole('slider', { name: /^S&P 500/ }).press('End');
    const [tip, chart] = await Promise.all(
      ['.chart-tip', '.chart:has(.chart-tip)'].map((part) => page.locator(part).boundingBox()),
    );
    expect(tip?.x).toBeGreaterThanOrEqual(chart?.x ?? Number.NaN);
    expect(tip?.width).toBeLessThanOrEqual(chart?.width ?? Number.NaN);
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
