import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { failReads, heldRequests, READS } from '../support/held-requests.ts';
import { changed, fearGreedRow, MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { openAdvanced, withoutData } from '../support/opening.ts';
import { type MarketTables, pageOverRows, type WrittenRow } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { readingsIn, section, shownIn, texts } from '../support/shown.ts';

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

  it('has titles and descriptions of the metrics, and the suffix % [S2.13] [S2.26]', async () => {
    const shown = async (name: string) => texts(await shownIn(section(page, name)));
    expect(await shown('Market Exposure')).toEqual(
      expect.arrayContaining(['% of market participating', '50.0', '%']),
    );
    expect(await shown('Overall Strength')).toEqual(expect.arrayContaining(['Barometer score', '50.0', '%']));
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
  const without = (...names: string[]) =>
    ['Market indices', ...SECTIONS].filter((name) => !names.includes(name));
  const COUNT = Object.keys(INDICATORS).length;
  const METRICS = `${COUNT + 12} metrics`;
  // `src/views/dashboard-view.test.ts` covers the other tables.
  const EMPTY_ONES: readonly {
    table: keyof typeof MIDDLING;
    left: string[];
    gone?: string;
    says?: string;
    metrics: string;
  }[] = [
    {
      table: 'fear_greed_index',
      left: without('Fear & Greed Index'),
      says: 'Fear & Greed has not been measured.',
      metrics: METRICS,
    },
    {
      table: 'sector_strength',
      left: without(),
      gone: 'Sector Strength',
      says: 'Sector strength has not been measured.',
      metrics: `${COUNT + 1} metrics`,
    },
  ];

  for (const { table, left, gone, says, metrics } of EMPTY_ONES) {
    it(`the sections of ${table} are omitted while the table is empty [S2.10] [S2.12] [R5]`, async () => {
      await host.put({ ...MIDDLING, [table]: [] });
      const page = await host.reopen();
      expect(await sectionsOn(page)).toEqual(left);
      const button = page.getByRole('button', { name: ADVANCED });
      expect(await button.innerText()).toContain(metrics);
      await openAdvanced(page);
      const parts = await section(page, ADVANCED).getByRole('heading', { level: 3 }).allInnerTexts();
      expect(parts).toEqual(
        ['Advanced Indicators', 'Sector Strength', 'Market Breadth'].filter((part) => part !== gone),
      );
      if (says !== undefined) expect(await section(page, 'Market Insights').innerText()).toContain(says);
      expect(await section(page, 'Market Signal').innerText()).toContain('6 of 7 inputs');
    });
  }

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

describe('the rows of the page', () => {
  it('are those of the newest batch, even if an older batch has more rows [R4]', async () => {
    const yesterdays = (rows: readonly WrittenRow[], more: WrittenRow = {}) =>
      rows.map((row) => ({ ...row, created_at: '2026-11-12T21:00:00Z', ...more }));
    await host.put({
      market_indices: [...yesterdays(MIDDLING.market_indices), MIDDLING.market_indices[0]],
      market_metrics: [
        ...yesterdays(MIDDLING.market_metrics),
        ...(changed('market_metrics', { market_exposure: 61 }).market_metrics ?? []),
      ],
      fear_greed_index: [fearGreedRow(20, '2026-11-12T21:00:00Z'), fearGreedRow(60)],
      sector_strength: [
        ...yesterdays(MIDDLING.sector_strength, { strength: 90 }),
        ...MIDDLING.sector_strength.slice(3, 5),
      ],
      advanced_indicators: [
        ...yesterdays(MIDDLING.advanced_indicators, { vix: 40 }),
        ...MIDDLING.advanced_indicators,
      ],
      market_sentiment: [
        ...yesterdays(MIDDLING.market_sentiment, { score: 80 }),
        sentimentRow('short', { score: 31 }),
      ],
      market_breadth: [
        ...yesterdays(MIDDLING.market_breadth, { advancing_stocks: 7777 }),
        ...MIDDLING.market_breadth,
      ],
    });
    const page = await host.reopen();
    const strip = texts(await shownIn(page.getByRole('region', { name: 'Market indices' })));
    expect(strip).toContain('S&P 500');
    expect(strip).not.toContain('Nasdaq Composite');
    expect(texts(await shownIn(section(page, 'Market Exposure')))).toContain('61.0');
    await openAdvanced(page);
    const advanced = section(page, ADVANCED);
    const { Energy, Utilities, VIX } = await readingsIn(advanced, ['Energy', 'Utilities', 'VIX']);
    expect(texts(Energy)).toContain('50.0%');
    expect(Utilities).toEqual([]);
    expect(texts(VIX)).toContain('25.00');
    expect(await advanced.innerText()).not.toContain('7,777');
    const medium = page.getByRole('article').filter({ hasText: 'Medium Term' });
    expect(texts(await shownIn(medium))).toEqual(
      expect.arrayContaining(['Neutral', '50.0', 'No data available']),
    );
  });
});

describe('a batch that exceeds the row limit', () => {
  it('shows the same three indices in any order of insertion [S9.3]', async () => {
    const [row] = MIDDLING.market_indices;
    const named = ['EEE', 'BBB', 'DDD', 'AAA', 'CCC'].map((symbol) => ({ ...row, symbol, name: symbol }));
    for (const rows of [named, named.toReversed()]) {
      await host.put({ ...MIDDLING, market_indices: rows });
      const page = await host.reopen();
      const names = await page.locator('.index-name').allInnerTexts();
      expect(names.map((name) => name.slice(0, 3))).toEqual(['AAA', 'BBB', 'CCC']);
    }
  });
});

describe('the header', () => {
  it('marks simulated and replayed rows as demo data, in the footer too [S1.4] [R30]', async () => {
    const from = (source: string): MarketTables =>
      Object.fromEntries(
        Object.entries(MIDDLING).map(([table, rows]) => [
          table,
          rows.map((row: WrittenRow) => ({ ...row, source })),
        ]),
      );
    for (const [source, chips] of [
      ['simulated', 1],
      ['replay', 1],
      ['live', 0],
      ['csv', 0],
    ] as const) {
      await host.put(from(source));
      const page = await host.reopen();
      expect(
        await page
          .getByRole('banner')
          .getByText(/^Demo data: /)
          .count(),
        source,
      ).toBe(chips);
      const footer = await page.getByRole('contentinfo').innerText();
      expect(footer, source).toMatch(
        chips === 1 ? /for demonstration only\. It is not financial advice/ : /^Barometer is not financial/,
      );
    }
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

  describe('failing reads', () => {
    let page: Page;

    beforeAll(async () => {
      page = await host.open({
        data: 'read by it',
        before: (opening) => failReads(opening),
        until: (opening) => opening.getByRole('alert').waitFor(),
      });
    });

    async function shown(): Promise<string[]> {
      expect(await page.getByRole('button', { name: 'Retry', exact: true }).isEnabled()).toBe(true);
      expect(await page.getByText('Signal Breakdown').count()).toBe(0);
      return texts(await shownIn(page.locator('main')));
    }

    /** Returns the page's text after Retry, with this response to the reads that match the pattern. */
    async function shownAfter(answer: Parameters<typeof failReads>[1], reads?: string): Promise<string[]> {
      await page.unroute(READS);
      await failReads(page, answer, reads);
      const before = await page.getByRole('alert').elementHandle();
      await page.getByRole('button', { name: 'Retry', exact: true }).click();
      await page.waitForFunction((alert) => !alert?.isConnected, before);
      await page.getByRole('alert').waitFor();
      return shown();
    }

    it('show "Failed to fetch data" without a network [S8.7]', async () => {
      expect(await shown()).toEqual(['Failed to load market data', 'Failed to fetch data', 'Retry']);
      expect(await page.locator('.header-chips').innerText()).toBe('The data could not be loaded');
      expect(await page.locator('.header-updated').innerText()).toMatch(/^Next refresh \d\d:\d\d$/);
    });

    it('show the heading, the server’s own sentence and Retry [S2.7] [S8.3] [S8.8]', async () => {
      const json = { message: 'The database is starting up.', code: '57P03' };
      const told = await shownAfter({ status: 503, json });
      expect(told).toEqual(['Failed to load market data', 'The database is starting up.', 'Retry']);
    });

    it('show no part of a proxy’s page in place of data [R12]', async () => {
      const told = await shownAfter({
        status: 502,
        contentType: 'text/html',
        body: '<h1>Bad gateway</h1><img src=x onerror=alert(1)>',
      });
      expect(told).toEqual(['Failed to load market data', 'Failed to fetch data', 'Retry']);
    });

    it('are an error of the whole page if one table fails [R5]', async () => {
      const json = { code: '57P03', message: 'One table is away.' };
      const told = await shownAfter({ status: 500, json }, '**/rest/v1/market_breadth**');
      expect(told).toEqual(['Failed to load market data', 'One table is away.', 'Retry']);
    });
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
