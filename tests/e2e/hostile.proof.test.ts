import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { INDICATOR_COLUMNS } from '#domain/readings/indicator-columns.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { MARKET_TABLES, type MarketTableName } from '#schema/tables.ts';
import { MIDDLING } from '../support/market-tables.ts';
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

it('escapes markup and cuts or wraps words without a space, in every text column [T10]', async () => {
  const MARKUP = '<img src=x onerror=planted=1><script>planted=1</script>';
  const TEXTS = [MARKUP, 'W'.repeat(199), 'W'.repeat(10_000)];
  await host.put(
    overwritten(TEXT_COLUMNS, (column, row) =>
      column === 'timeframe' ? TIMEFRAMES[row] : `${row}${TEXTS[row % 3]}`,
    ),
  );
  const page = await host.open(PHONE);
  await expectUnharmed(page);
  const strip = texts(await shownIn(page.getByRole('region', { name: 'Market indices' })));
  expect(strip).toEqual(
    expect.arrayContaining([`0${MARKUP}`, expect.stringMatching(/^1W{58}…$/), '6,734.11']),
  );
  const words = (await page.locator('#root').textContent())?.match(/W+…?/g) ?? [];
  expect(Math.max(...words.map(({ length }) => length))).toBe(199);
  const short = page.getByRole('article').filter({ hasText: 'Short Term' });
  expect(texts(await shownIn(short))).toEqual(expect.arrayContaining([`0${MARKUP}`, '(neutral)', '50.0']));
});

it('shows null, NaN and Infinity as not measured, without gauge or verdict', async () => {
  const values = [null, 'NaN', 'Infinity', '-Infinity', 'NaN'];
  let next = 0;
  // A count is an integer, which cannot be NaN.
  const bad = (column: string) =>
    NUMBER_COLUMNS.market_breadth.includes(column) ? null : values[next++ % values.length];
  await host.put(overwritten(NUMBER_COLUMNS, bad));
  // On the day after the rows, no value is still to be published.
  const page = await host.open({ ...PHONE, now: '2026-11-14T21:30:00Z' });
  await expectUnharmed(page);
  expect(await page.getByRole('heading', { name: 'Fear & Greed Index' }).count()).toBe(0);
  expect(texts(await shownIn(section(page, 'Market Signal')))).toContain('Insufficient data');
  expect(texts(await shownIn(section(page, 'Market Exposure')))).toContain('—');
  const open = await readingsIn(section(page, ADVANCED), [...INDICATOR_NAMES, ...GICS_SECTORS]);
  for (const [name, shown] of Object.entries(open)) {
    const missing = name === 'Put/Call Ratio' ? 'No value of this session' : 'Not measured';
    expect(texts(shown), name).toEqual(expect.arrayContaining(['—', missing]));
  }
});
