import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { failReads } from '../support/held-requests.ts';
import { changed, MIDDLING } from '../support/market-tables.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { section, shownIn, texts } from '../support/shown.ts';

const host = shared(pageOverRows);

const SECTIONS = [
  'Market Signal',
  'Market Sentiment Analysis',
  'Price Chart',
  'Fear & Greed Index',
  'Market Exposure',
  'Overall Strength',
  'Top Gainers and Losers',
  'S&P 500 Heatmap',
  'Advanced Market Indicators, Sectors & Breadth',
  'Market Insights',
];

describe('the page with every table filled', () => {
  let page: Page;

  beforeAll(async () => {
    await host.put(MIDDLING);
    page = await host.open({ timezoneId: 'America/New_York' });
  });

  it.each([390, 1920])(
    'has its sections in the specified order at %d px [S1.1] [S2.1] [S2.8] [R8] [R31]',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const tops: number[] = [];
      for (const name of ['Market indices', ...SECTIONS]) {
        // Throws if two regions have the name.
        const box = await page.getByRole('region', { name }).boundingBox();
        if (box === null) throw new Error(`${name} is not on the page.`);
        tops.push(box.y);
      }
      expect(tops).toEqual([...tops].sort((a, b) => a - b));
    },
  );

  it('shows newly written numbers after a refresh [S4.1]', async () => {
    await host.put({ ...MIDDLING, ...changed('market_metrics', { market_exposure: 71.4 }) });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await section(page, 'Market Exposure').getByText('71.4').first().waitFor();
  });
});

describe('the states of the page', () => {
  beforeAll(() => host.put(MIDDLING));

  // `src/queries/queries.test.ts` has the sentences of other failures.
  it('failed shows the heading, the server’s own sentence and Retry [S2.7] [S8.3] [S8.8] [R5]', async () => {
    const json = { code: '57P03', message: 'One table is away.' };
    const page = await host.open({
      data: 'read by it',
      before: (opening) => failReads(opening, { status: 500, json }, '**/rest/v1/market_breadth**'),
      until: (opening) => opening.getByRole('alert').waitFor(),
    });
    const told = ['Failed to load market data', 'One table is away.', 'Retry'];
    expect(texts(await shownIn(page.locator('main')))).toEqual(told);
    expect(await page.getByRole('button', { name: 'Retry', exact: true }).isEnabled()).toBe(true);
    expect(await page.locator('.header-chips').innerText()).toBe('The data could not be loaded');
    expect(await page.locator('.header-updated').innerText()).toMatch(/^Next refresh \d\d:\d\d$/);
  });
});
