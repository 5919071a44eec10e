import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { INDICATOR_COLUMNS } from '#domain/readings/indicator-columns.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { MARKET_TABLES, type MarketTableName } from '#schema/tables.ts';
import { BELL, fearGreedRow, MIDDLING } from '../support/market-tables.ts';
import { openAdvanced } from '../support/opening.ts';
import { type MarketTables, pageOverRows, type WrittenRow } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { readingsIn, section, shownIn, texts } from '../support/shown.ts';

/* Serves bad rows, from tables without checks (as in a custom backend), through the real gate to a real browser. The
   page shows the valid values, leaves out the others and never breaks. */

const host = shared(() => pageOverRows({ lax: true }));

const INDICATOR_NAMES = Object.values(INDICATORS).map(({ name }) => name);
const ADVANCED = 'Advanced Market Indicators, Sectors & Breadth';

/** Opens all folded parts, so that the page shows every text of every row. */
async function openAll(page: Page): Promise<void> {
  if ((await page.getByRole('button', { name: ADVANCED }).count()) > 0) await openAdvanced(page);
  const tab = page.getByRole('tab', { name: 'Timeline' });
  if ((await tab.count()) === 0) return;
  await tab.click();
  const panel = section(page, 'Fear & Greed Index');
  await panel.getByRole('slider').or(panel.getByText('No historical data available')).first().waitFor();
}

/** Checks that must pass with any rows. */
async function expectUnharmed(page: Page): Promise<void> {
  await openAll(page);
  const found = await page.evaluate(() => {
    const attributes = [...document.querySelectorAll('*')].flatMap((element) =>
      [...element.attributes].map(({ name, value }) => `${element.localName}[${name}=${value}]`),
    );
    const readable = document.body.cloneNode(true) as Element;
    // Excludes the data embedded in the page.
    for (const script of readable.querySelectorAll('script')) script.remove();
    return {
      text: readable.textContent ?? '',
      attributes,
      planted:
        document.querySelectorAll('img, [onerror], [onload], b').length +
        [...document.querySelectorAll<HTMLScriptElement>('script:not([type])')].filter(({ text }) =>
          text.includes('planted'),
        ).length,
      ran: 'planted' in window,
      sideways: document.documentElement.scrollWidth > window.innerWidth,
    };
  });
  const broken = /NaN|undefined|Infinity|Invalid Date|\[object|\bnull\b/;
  expect(broken.exec(found.text)?.[0]).toBeUndefined();
  expect(found.attributes.filter((attribute) => broken.test(attribute))).toEqual([]);
  expect(found).toMatchObject({ planted: 0, ran: false, sideways: false });
  expect(host.problems()).toEqual([]);
}

const PHONE = { viewport: { width: 390, height: 844 } };
const WIDE = {};

let opened: object | undefined;

/** Opens the page over the current rows. Reloads a page with the same options, which costs half. */
async function pageOf(options: typeof PHONE | typeof WIDE): Promise<Page> {
  if (opened === options) return host.reopen();
  opened = options;
  return host.open(options);
}

const TEXT_COLUMNS: Record<MarketTableName, readonly string[]> = {
  market_indices: ['symbol', 'name', 'source'],
  market_metrics: ['source'],
  fear_greed_index: ['index_label', 'source'],
  sector_strength: ['sector', 'source'],
  advanced_indicators: [...INDICATOR_COLUMNS.filter((column) => column.endsWith('_universe')), 'source'],
  market_sentiment: ['timeframe', 'signal', 'description', 'moving_avg_trend', 'volume_trend', 'source'],
  market_breadth: ['universe', 'source'],
};

const NUMBER_COLUMNS: Record<MarketTableName, readonly string[]> = {
  market_indices: ['price', 'change', 'change_percent'],
  market_metrics: ['market_exposure', 'overall_strength'],
  fear_greed_index: [
    'index_value',
    'market_momentum',
    'stock_price_strength',
    'stock_price_breadth',
    'put_call_options',
    'junk_bond_demand',
    'market_volatility',
    'safe_haven_demand',
  ],
  sector_strength: ['strength'],
  advanced_indicators: INDICATOR_COLUMNS.filter((column) => !column.endsWith('_universe')),
  market_sentiment: ['score', 'rsi', 'macd'],
  market_breadth: ['advancing_stocks', 'declining_stocks', 'unchanged_stocks'],
};

/** Every row of every table with these columns replaced. `value` gets the row's table. */
function overwritten(
  columns: Record<MarketTableName, readonly string[]>,
  value: (column: string, row: number) => unknown,
): MarketTables {
  return Object.fromEntries(
    MARKET_TABLES.map((table) => [
      table,
      MIDDLING[table].map((row: WrittenRow, at) => ({
        ...row,
        ...Object.fromEntries(columns[table].map((column) => [column, value(column, at)])),
      })),
    ]),
  );
}

const TIMEFRAMES = ['short', 'medium', 'long'];

describe('text in the tables', () => {
  const MARKUP = '<img src=x onerror=planted=1><script>planted=1</script>';

  it('escapes or omits markup in every text column [T10]', async () => {
    await host.put(overwritten(TEXT_COLUMNS, (_, row) => `${row}${MARKUP}`));
    const page = await pageOf(PHONE);
    await expectUnharmed(page);
    const strip = texts(await shownIn(page.getByRole('region', { name: 'Market indices' })));
    expect(strip).toContain(`0${MARKUP}`);
    expect(strip).toContain('6,734.11');
    expect(texts(await shownIn(section(page, ADVANCED)))).toContain(`10${MARKUP}`);
  });

  it('cuts ten thousand characters in a text column to a line or two', async () => {
    const LONG = 'W'.repeat(10_000);
    await host.put({
      ...overwritten(TEXT_COLUMNS, (column, row) => (column === 'timeframe' ? TIMEFRAMES[row] : LONG)),
      sector_strength: [
        { sector: LONG, strength: 99, created_at: BELL },
        { sector: 'Energy', strength: 62, created_at: BELL },
      ],
    });
    const page = await pageOf(PHONE);
    await expectUnharmed(page);
    const words = (await page.locator('#root').textContent())?.match(/W{20,}…?/g) ?? [];
    expect(words.length).toBeGreaterThan(5);
    expect(words.filter((word) => word.length > 200 || !word.endsWith('…'))).toEqual([]);
    expect(texts((await readingsIn(section(page, ADVANCED), ['Energy'])).Energy)).toContain('62.0%');
    expect(texts((await readingsIn(section(page, ADVANCED), ['VIX'])).VIX)).toContain('25.00');
    const short = page.getByRole('article').filter({ hasText: 'Short Term' });
    expect(texts(await shownIn(short))).toEqual(expect.arrayContaining(['50.0', 'Neutral']));
  });

  it('wraps two hundred characters without a space', async () => {
    const LONGEST = 'W'.repeat(199);
    await host.put(
      overwritten(TEXT_COLUMNS, (column, row) =>
        column === 'timeframe' ? TIMEFRAMES[row] : `${LONGEST}${row % 10}`,
      ),
    );
    const page = await pageOf(PHONE);
    await expectUnharmed(page);
    expect(await page.locator('#root').textContent()).toContain(`${LONGEST}0`);
  });

  it('shows unknown words as neutral or omits them [S3.6]', async () => {
    await host.put({
      ...overwritten(TEXT_COLUMNS, (column, row) =>
        column === 'timeframe' ? ['short', 'medium', 'fortnight'][row] : `unheard-of ${row}`,
      ),
    });
    const page = await pageOf(WIDE);
    await expectUnharmed(page);
    const short = page.getByRole('article').filter({ hasText: 'Short Term' });
    expect(texts(await shownIn(short))).toEqual(expect.arrayContaining(['Unheard-of 0', '(neutral)']));
    const long = page.getByRole('article').filter({ hasText: 'Long Term' });
    expect(texts(await shownIn(long))).toEqual(expect.arrayContaining(['50.0', 'No data available']));
    expect(await page.getByText('Demo data').count()).toBe(0);
  });
});

describe('numbers in the tables', () => {
  const COUNTS = NUMBER_COLUMNS.market_breadth;
  /** Every number column gets each of these values in turn; integer counts get `counts`. */
  const numbers = (values: readonly unknown[], counts: readonly unknown[] = [null]) => {
    let next = 0;
    return overwritten(NUMBER_COLUMNS, (column) => {
      const given = COUNTS.includes(column) ? counts : values;
      next += 1;
      return given[next % given.length];
    });
  };

  it('shows null, NaN and Infinity as not measured, without gauge or verdict', async () => {
    await host.put(numbers([null, 'NaN', 'Infinity', '-Infinity', 'NaN']));
    // On the day after the rows, no value is still to be published.
    opened = undefined;
    const page = await host.open({ ...PHONE, now: '2026-11-14T21:30:00Z' });
    await expectUnharmed(page);
    expect(await page.getByRole('heading', { name: 'Fear & Greed Index' }).count()).toBe(0);
    expect(texts(await shownIn(section(page, 'Market Signal')))).toContain('Insufficient data');
    expect(texts(await shownIn(section(page, 'Market Exposure')))).toContain('—');
    expect(texts(await shownIn(section(page, 'Overall Strength')))).toContain('—');
    expect(texts(await shownIn(page.getByRole('region', { name: 'Market indices' })))).toContain('S&P 500');
    const advanced = section(page, ADVANCED);
    const open = await readingsIn(advanced, [...INDICATOR_NAMES, ...GICS_SECTORS]);
    for (const [name, shown] of Object.entries(open)) {
      const missing = name === 'Put/Call Ratio' ? 'No value of this session' : 'Not measured';
      expect(texts(shown), name).toEqual(expect.arrayContaining(['—', missing]));
    }
    const cards = await page.getByRole('article').filter({ hasText: 'No data available' }).count();
    expect(cards).toBe(3);
  });

  it('omits a bad row from the timeline and draws the others', async () => {
    const days = ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12'];
    const values = [40, 'NaN', 140, 60];
    await host.put({
      ...MIDDLING,
      fear_greed_index: [
        ...days.map((day, at) => fearGreedRow(values[at], `${day}T21:00:00Z`, { index_label: '<b>x</b>' })),
        fearGreedRow(70),
      ],
    });
    const page = await pageOf(WIDE);
    await expectUnharmed(page);
    const slider = section(page, 'Fear & Greed Index').getByRole('slider');
    expect(await slider.getAttribute('aria-valuemax')).toBe('2');
    await slider.focus();
    await page.keyboard.press('Home');
    expect(await slider.getAttribute('aria-valuetext')).toBe('Mon 9 Nov 2026: 40.0, Fear');
  });
});

describe('rows in the tables', () => {
  it('shows a repeated symbol, sector or timeframe once [R4]', async () => {
    await host.put({
      ...MIDDLING,
      market_indices: [MIDDLING.market_indices[0], MIDDLING.market_indices[0], MIDDLING.market_indices[1]],
      sector_strength: [...MIDDLING.sector_strength.slice(3, 5), ...MIDDLING.sector_strength.slice(3, 4)],
      market_sentiment: [MIDDLING.market_sentiment[0], MIDDLING.market_sentiment[0]],
    });
    const page = await pageOf(WIDE);
    await expectUnharmed(page);
    const strip = texts(await shownIn(page.getByRole('region', { name: 'Market indices' })));
    expect(strip.filter((text) => text === 'S&P 500')).toHaveLength(1);
    const advanced = texts(await shownIn(section(page, ADVANCED)));
    expect(advanced.filter((text) => text === 'Energy')).toHaveLength(1);
    expect(advanced).toContain(`${INDICATOR_NAMES.length + 3} metrics`);
    expect(await page.getByRole('article').filter({ hasText: 'Short Term' }).count()).toBe(1);
  });
});
