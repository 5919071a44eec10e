import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { BELL, changed, fearGreedRow, MIDDLING, sentimentRow } from '../support/market-tables.ts';
import { openAdvanced } from '../support/opening.ts';
import { type MarketTables, type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';
import { readingsIn, section, shownIn, texts } from '../support/shown.ts';

let host: PageOverRows;

beforeAll(async () => {
  host = await pageOverRows();
});

afterAll(() => host?.close());

const ADVANCED = 'Advanced Market Indicators, Sectors & Breadth';

/** Opens the page over the given tables for all tests of a `describe`. */
async function openOver(tables: MarketTables): Promise<Page> {
  await host.put({ ...MIDDLING, ...tables });
  return host.reopen();
}

describe('the panels with every table filled', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openOver({});
  });

  it('show name, price, change and percent of each index [R8]', async () => {
    const items = await page
      .getByRole('region', { name: 'Market indices' })
      .getByRole('listitem')
      .allInnerTexts();
    expect(items.map((item) => item.replace(/[()]/g, '').replace(/\s+/g, ' '))).toEqual([
      'S&P 500 6,734.11 +41.42 +0.62%',
      'Nasdaq Composite 22,900.59 0.00 0.00%',
      'Dow Jones 47,147.48 −309.10 −0.65%',
    ]);
  });

  it('have a Signal Breakdown, marked as informational only and not financial advice [S2.31]', async () => {
    const card = section(page, 'Market Signal');
    await card.getByRole('heading', { name: 'Signal Breakdown', exact: true }).waitFor();
    expect(await card.innerText()).toContain(
      'This signal is for informational purposes only and is not financial advice. It describes the market and does not forecast it.',
    );
    expect(await card.getByRole('row').count()).toBe(9);
  });

  it('show the sentiment of Short, Medium and Long Term with their spans, in this order [S2.10]', async () => {
    const panel = section(page, 'Market Sentiment Analysis');
    const cards = await panel.getByRole('article').all();
    const shown = await Promise.all(cards.map(async (card) => texts(await shownIn(card)).join(' ')));
    expect(shown).toHaveLength(3);
    expect(shown[0]).toMatch(/^Short Term .*1-5 Days/);
    expect(shown[1]).toMatch(/^Medium Term .*1-3 Months/);
    expect(shown[2]).toMatch(/^Long Term .*6-12 Months/);
  });

  it('toggle the advanced section, closed at first, by a click on its header', async () => {
    const header = page.getByRole('button', { name: ADVANCED });
    const content = page.getByRole('heading', { name: 'Sector Strength' });
    expect(await header.getAttribute('aria-expanded')).toBe('false');
    expect(await content.count()).toBe(0);
    await header.click();
    expect(await header.getAttribute('aria-expanded')).toBe('true');
    await content.waitFor();
    await header.click();
    expect(await header.getAttribute('aria-expanded')).toBe('false');
    await content.waitFor({ state: 'detached' });
  });

  it('count the metrics in the header of the advanced section', async () => {
    const count = Object.keys(INDICATORS).length + 11 + 1;
    expect(await page.getByRole('button', { name: ADVANCED }).innerText()).toContain(`${count} metrics`);
  });
});

describe('the panels with numbers of each kind', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openOver({
      ...changed('market_metrics', { market_exposure: 54.04, overall_strength: 58.16 }),
      ...changed('market_breadth', { advancing_stocks: 1362, declining_stocks: 1032, unchanged_stocks: 106 }),
      fear_greed_index: [fearGreedRow(62.4), fearGreedRow(59.2, '2026-11-12T21:00:00Z')],
      sector_strength: MIDDLING.sector_strength
        .slice(0, 3)
        .map((row, at) => ({ ...row, strength: [82.14, 31, 55][at] })),
      market_sentiment: [
        sentimentRow('short', {
          score: 61.04,
          description: 'Momentum turned up this week.',
          rsi: 61.27,
          macd: -1.135,
          moving_avg_trend: 'bullish',
          volume_trend: 'decreasing',
        }),
        sentimentRow('medium', { score: 50, rsi: 50 }),
        sentimentRow('long', { score: null }),
      ],
    });
  });

  it('show the description of a sentiment row and its indicators with their status [S3.6] [S3.11] [S4.7] [S9.20]', async () => {
    const card = (name: string) => page.getByRole('article').filter({ hasText: name });
    const short = texts(await shownIn(card('Short Term')));
    expect(short).toEqual(
      expect.arrayContaining([
        'Bullish',
        '61.0',
        'Momentum turned up this week.',
        '61.3',
        '(positive)',
        '−1.14',
        '(negative)',
        'Decreasing',
      ]),
    );
    expect(await card('Medium Term').locator('dt').allInnerTexts()).toEqual(['RSI']);
    // A timeframe without data shows the specified default without indicators. It is not a measurement.
    const long = texts(await shownIn(card('Long Term')));
    expect(long).toEqual(expect.arrayContaining(['Neutral', '50.0', 'No data available']));
    expect(await card('Long Term').locator('dt').count()).toBe(0);
  });

  it('have titles and descriptions of the metrics, and the suffix % [S2.13] [S2.26]', async () => {
    const exposure = texts(await shownIn(section(page, 'Market Exposure')));
    expect(exposure).toEqual(expect.arrayContaining(['% of market participating', '54.0', '%']));
    const strength = texts(await shownIn(section(page, 'Overall Strength')));
    expect(strength).toEqual(expect.arrayContaining(['Barometer score', '58.2', '%']));
  });

  it('name the indicators, the universe of the internals, and the three counts of breadth', async () => {
    await openAdvanced(page);
    const panel = section(page, ADVANCED);
    const indicators = await readingsIn(
      panel,
      Object.values(INDICATORS).map(({ name }) => name),
    );
    for (const [name, shown] of Object.entries(indicators)) expect(shown.length, name).toBeGreaterThan(2);
    expect(texts(indicators.TRIN)).toContain('NYSE');
    expect(texts(indicators['TICK Index'])).toContain('S&P 500, proxy');
    const breadth = await readingsIn(section(page, 'Market Breadth'), [
      'Advance/decline ratio',
      'Advancing',
      'Unchanged',
      'Declining',
    ]);
    expect(texts(breadth['Advance/decline ratio'])).toContain('1.32');
    expect(texts(breadth.Advancing)).toEqual(expect.arrayContaining(['1,362', '54.5%']));
    expect(texts(breadth.Unchanged)).toEqual(expect.arrayContaining(['106', '4.2%']));
    expect(texts(breadth.Declining)).toEqual(expect.arrayContaining(['1,032', '41.3%']));
  });

  it('have three sentences: on Fear & Greed, participation and sector leadership', async () => {
    const items = await section(page, 'Market Insights').getByRole('listitem').allInnerTexts();
    expect(items).toHaveLength(3);
    expect(items[0]).toContain('Fear & Greed stands at 62.4 (Greed), up 3.2 points from the previous close.');
    expect(items[1]).toContain('54.0% of the market takes part; the advance/decline ratio is 1.32.');
    expect(items[2]).toContain(
      'Sector strength: Communication Services leads at 82.1%, Consumer Discretionary is last at 31.0%',
    );
  });
});

describe('the panels with missing numbers', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openOver({
      market_indices: [
        {
          symbol: 'SPX',
          name: 'S&P 500',
          price: 6734.11,
          change: null,
          change_percent: null,
          created_at: BELL,
        },
      ],
      ...changed('market_metrics', { market_exposure: null, overall_strength: 0 }),
      ...changed('market_breadth', { advancing_stocks: 50, unchanged_stocks: 20, declining_stocks: 30 }),
      sector_strength: MIDDLING.sector_strength.slice(0, 4),
    });
  });

  it('show a dash for each missing value of an index', async () => {
    const strip = await page.getByRole('region', { name: 'Market indices' }).innerText();
    expect(strip).toContain('6,734.11');
    expect(strip).toContain('—');
    expect(strip).not.toMatch(/[+−]\d|\d%/);
  });

  it('show a dash without suffix or word for a missing metric', async () => {
    const exposure = texts(await shownIn(section(page, 'Market Exposure')));
    expect(exposure).toContain('—');
    expect(exposure.filter((text) => ['%', 'Low', 'Moderate', 'High'].includes(text))).toEqual([]);
    expect(texts(await shownIn(section(page, 'Overall Strength')))).toEqual(
      expect.arrayContaining(['0.0', '%', 'Low']),
    );
  });

  it('count the sectors that have data', async () => {
    expect(await page.getByRole('button', { name: ADVANCED }).innerText()).toContain(
      `${Object.keys(INDICATORS).length + 5} metrics`,
    );
  });

  it('draw breadth as one bar in three parts, as long as their shares', async () => {
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
