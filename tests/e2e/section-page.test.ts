import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { failReads, heldRequests, READS } from '../support/held-requests.ts';
import { changed, MIDDLING } from '../support/market-tables.ts';
import { openAdvanced, withoutData } from '../support/opening.ts';
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

/** The sections of the page in their order. */
async function sectionsOn(page: Page): Promise<string[]> {
  const headings = await page.locator('main').getByRole('heading', { level: 2 }).allInnerTexts();
  const strip = await page.getByRole('region', { name: 'Market indices' }).count();
  const present = SECTIONS.filter((name) => headings.some((heading) => heading.startsWith(name)));
  return strip === 1 ? ['Market indices', ...present] : present;
}

const ADVANCED = 'Advanced Market Indicators, Sectors & Breadth';

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

  it('has all sections and a footer [S1.1] [S2.15] [S2.16] [S2.30]', async () => {
    expect(await sectionsOn(page)).toEqual(['Market indices', ...SECTIONS]);
    const footer = await page.getByRole('contentinfo').innerText();
    expect(footer).toMatch(/^Barometer is not financial advice\./);
  });

  it('has a header with title, subtitle, buttons, last update and countdown [S2.2] [S2.5]', async () => {
    const header = page.getByRole('banner');
    expect(await header.getByRole('heading', { level: 1 }).innerText()).toBe('Barometer Dashboard');
    await header.getByText('Real-time market analysis and insights', { exact: true }).waitFor();
    await header.getByRole('button', { name: 'Get the Weekly Signal', exact: true }).waitFor();
    expect(await header.getByRole('button', { name: 'Refresh', exact: true }).isEnabled()).toBe(true);
    const words = (await header.innerText()).replace(/\s+/g, ' ');
    expect(words).toContain('Last updated 16:30');
    expect(words).toContain('Next refresh 60:00');
    expect(words).toContain('As of Fri 13 Nov 2026, close');
  });

  it('shows name, price, change and percent of each index [R8]', async () => {
    const strip = page.getByRole('region', { name: 'Market indices' });
    const items = await strip.getByRole('listitem').allInnerTexts();
    expect(items.map((item) => item.replace(/[()]/g, '').replace(/\s+/g, ' '))).toEqual([
      'S&P 500 6,734.11 +41.42 +0.62%',
      'Nasdaq Composite 22,900.59 0.00 0.00%',
      'Dow Jones 47,147.48 −309.10 −0.65%',
    ]);
  });

  it('has a Signal Breakdown, marked as informational only and not financial advice [S2.31]', async () => {
    const card = section(page, 'Market Signal');
    await card.getByRole('heading', { name: 'Signal Breakdown', exact: true }).waitFor();
    expect(await card.innerText()).toContain(
      'This signal is for informational purposes only and is not financial advice. It describes the market and does not forecast it.',
    );
    expect(await card.getByRole('row').count()).toBe(9);
  });

  it('has the sentiment of Short, Medium and Long Term with their spans, in this order [S2.10]', async () => {
    const cards = await section(page, 'Market Sentiment Analysis').getByRole('article').all();
    const shown = await Promise.all(cards.map(async (card) => texts(await shownIn(card)).join(' ')));
    expect(shown).toEqual([
      expect.stringMatching(/^Short Term .*1-5 Days/),
      expect.stringMatching(/^Medium Term .*1-3 Months/),
      expect.stringMatching(/^Long Term .*6-12 Months/),
    ]);
  });

  it('shows newly written numbers after a refresh [S4.1]', async () => {
    await host.put({
      ...MIDDLING,
      ...changed('market_metrics', { market_exposure: 71.4, overall_strength: 50 }),
      ...changed('market_breadth', { advancing_stocks: 50, unchanged_stocks: 20, declining_stocks: 30 }),
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await section(page, 'Market Exposure').getByText('71.4').first().waitFor();
  });

  it('draws breadth as one bar in three parts, as long as their shares', async () => {
    await openAdvanced(page);
    const shares = await section(page, 'Market Breadth')
      .locator('svg:has(rect + rect + rect + rect)')
      .evaluate((bar) => {
        const whole = bar.getBoundingClientRect();
        return [...bar.querySelectorAll('.bar-part')].map((part) => {
          const { left, width } = part.getBoundingClientRect();
          return [left - whole.left, width].map((length) => Math.round((length / whole.width) * 100));
        });
      });
    expect(shares).toEqual([
      [0, 50],
      [50, 20],
      [70, 30],
    ]);
  });
});

describe('the sections of the page', () => {
  // `src/views/dashboard-view.test.ts` covers the other tables.
  it('omit the part of an empty table, and name what is missing [S2.10] [S2.12] [R5]', async () => {
    await host.put({ ...MIDDLING, sector_strength: [] });
    const page = await host.reopen();
    expect(await sectionsOn(page)).toEqual(['Market indices', ...SECTIONS]);
    const button = page.getByRole('button', { name: ADVANCED });
    expect(await button.innerText()).toContain(`${Object.keys(INDICATORS).length + 1} metrics`);
    await openAdvanced(page);
    const parts = await section(page, ADVANCED).getByRole('heading', { level: 3 }).allInnerTexts();
    expect(parts).toEqual(['Advanced Indicators', 'Market Breadth']);
    const insights = await section(page, 'Market Insights').innerText();
    expect(insights).toContain('Sector strength has not been measured.');
    expect(await section(page, 'Market Signal').innerText()).toContain('6 of 7 inputs');
  });

  it('show no number if every table is empty [R5]', async () => {
    await host.put({});
    const page = await host.reopen();
    expect(await sectionsOn(page)).toEqual([
      'Market Signal',
      'Price Chart',
      'Top Gainers and Losers',
      'S&P 500 Heatmap',
    ]);
    const signal = section(page, 'Market Signal');
    const pieces = texts(await shownIn(signal));
    expect(pieces).toContain('Insufficient data');
    expect(pieces.join(' ')).toContain('0 of 7 inputs');
    const rows = await signal.getByRole('row').allInnerTexts();
    // Only the specified weights are numbers; all other values are dashes.
    for (const row of rows.slice(1)) expect(row.replace(/\d+%/g, '')).not.toMatch(/\d/);
    expect(await page.getByText(/^As of/).count()).toBe(0);
    expect(await page.getByText('No data yet').isVisible()).toBe(true);
    expect(host.problems()).toEqual([]);
  });
});

describe('the states of the page', () => {
  beforeAll(() => host.put(MIDDLING));

  it('loading says "Loading market data..." and disables the refresh [S2.6]', async () => {
    const { hold, release } = heldRequests();
    const page = await host.open({
      data: 'read by it',
      before: (opening) => opening.route(READS, hold),
    });
    await page.getByText('Loading market data...', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Refresh' }).isDisabled()).toBe(true);
    expect(await page.getByText('Signal Breakdown').count()).toBe(0);
    release('answer');
    await page.getByText('Signal Breakdown').waitFor();
    expect(await page.getByText('Loading market data...').count()).toBe(0);
  });

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

  it('a missing configuration says that Supabase is not configured [S8.2]', async () => {
    const page = await host.open({
      before: (opening) =>
        withoutData(opening, host.url, (html) =>
          html.replace(/<script[^>]*id="barometer-config".*?<\/script>/s, ''),
        ),
      until: (opening) => opening.getByRole('alert').waitFor(),
    });
    expect(texts(await shownIn(page.locator('main')))).toEqual([
      'Failed to load market data',
      'Supabase is not configured. Please check your .env file.',
      'Retry',
    ]);
  });
});
