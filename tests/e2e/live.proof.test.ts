import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import type { Member } from '#domain/market-history.ts';
import { openAdvanced, openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { movedClock, runCommand, startProduct } from '../support/product.ts';
import { STUB_KEYS, startProviderStubs } from '../support/providers/stubs.ts';
import { folderForTests, shared } from '../support/shared.ts';

const members: readonly Member[] = Array.from({ length: 12 }, (_, at) => ({
  symbol: `SYM${String.fromCharCode(65 + at)}`,
  name: `Company ${at}`,
  sector: ['Energy', 'Financials', 'Utilities'][at % 3] ?? '',
}));

/* The built product over real HTTP servers as providers, as a visitor sees it. `tests/database/pooler.proof.test.ts`
   starts two servers at once on one empty Postgres. */

/**
 * A Friday night in New York, when all values of the day are published. During the day an open session would be shown.
 */
const NIGHT = Date.parse('2025-11-22T02:00:00Z');
const AHEAD = NIGHT - Date.now();
/** Start of the shortest history that fills every section of the page. */
const FIRST = '2024-01-02';
const HOUR = 3_600_000;

const work = folderForTests();
const universe = join(work, 'universe.csv');
const embedded = join(work, 'embedded');
const stubs = shared(() => startProviderStubs({ members, now: () => Date.now() + AHEAD, first: FIRST }));
const fresh = pagesForTests();
let settings: Record<string, string>;
let page: Page;

const product = shared(async () => {
  const rows = members.map(({ symbol, name, sector }) => `${symbol},${name},${sector}`);
  writeFileSync(universe, ['symbol,name,sector', ...rows].join('\n'));
  settings = {
    MARKET_SOURCE: 'live',
    MARKET_UNIVERSE: universe,
    // Cboe is left out, because its put/call ratios need one request per day.
    MARKET_PROVIDERS: 'alpaca,yahoo,fred,wsj',
    ALPACA_KEY_ID: STUB_KEYS.alpaca.keyId,
    ALPACA_SECRET_KEY: STUB_KEYS.alpaca.secretKey,
    FRED_API_KEY: STUB_KEYS.fred,
    ...movedClock(AHEAD),
    ...Object.fromEntries(
      Object.entries(stubs.urls).map(([name, address]) => [`${name.toUpperCase()}_URL`, address]),
    ),
  };
  stubs.fault('wsj', '403');
  return startProduct(embedded, settings);
});

const collect = () => runCommand(['collect'], { ...settings, BAROMETER_DATA_DIR: embedded });
const wordsIn = async (name: string) =>
  (await page.getByRole('region', { name }).first().innerText()).replaceAll(/\s+/g, ' ');
const strip = () => wordsIn('Market indices');

async function refresh(): Promise<void> {
  const button = page.getByRole('button', { name: 'Refresh', exact: true });
  await button.click();
  await button.and(page.locator(':enabled')).waitFor();
}

/** Refreshes until the page shows something: a server sees a commit within a second. */
const shownOnRefresh = (shown: Locator) =>
  vi.waitFor(
    async () => {
      await refresh();
      expect(await shown.count()).toBeGreaterThan(0);
    },
    { timeout: 60_000, interval: 250 },
  );

/** The rows of the origins table, as text. */
async function origins(): Promise<string[]> {
  const rows = await page.locator('#origins').getByRole('row').allInnerTexts();
  return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim());
}

const originOf = async (input: string) => (await origins()).find((row) => row.startsWith(input)) ?? '';

describe('the page over live data', () => {
  it('shows a verdict with numbers and their providers, without a mark of demonstration data', async () => {
    page = await fresh({ reducedMotion: 'reduce', clock: { startsAt: NIGHT + HOUR } });
    await openAwake(page, product.url);
    expect(await page.locator('.verdict').innerText()).toMatch(/^(BUY|HOLD|SELL)$/);
    expect(await strip()).toMatch(
      /S&P 500 [\d,]+\.\d\d .*Nasdaq Composite [\d,]+\.\d\d .*Dow Jones.* [\d,]+\.\d\d /,
    );
    expect(await page.getByText('Demo data').count()).toBe(0);

    await openAdvanced(page);
    expect(await wordsIn('Advanced Market Indicators')).toMatch(/TRIN 12 stocks \d/);
    await page.getByText('Where these numbers come from', { exact: true }).click();
    await page.getByRole('cell', { name: 'Alpaca' }).first().waitFor();
    expect(await originOf('Stock prices')).toMatch(/^Stock prices \(12 stocks\) for .*\bTRIN\b.* Alpaca /);
    expect(await originOf('Index levels')).toContain('Yahoo Finance');
    expect(await originOf('Credit spreads')).toContain('FRED');
    expect(await originOf('Put/call ratio')).toContain('No provider gave it');
    // No tile counts the stocks of the exchange, so nothing of it is listed.
    expect((await origins()).filter((row) => row.startsWith('NYSE'))).toEqual([]);
  });

  it('shows a provider’s values again after a manual run', async () => {
    stubs.fault('wsj', null);
    const { code, stdout } = await collect();
    expect(stdout).toMatch(/^collect from live: session/);
    expect(code).toBe(0);
    await shownOnRefresh(page.getByRole('cell', { name: 'The Wall Street Journal' }));
    await expect.poll(() => wordsIn('Advanced Market Indicators')).toMatch(/TRIN NYSE \d/);
    expect(await originOf('NYSE TRIN')).toContain('NYSE TRIN for TRIN The Wall Street Journal');
    expect(await originOf('Stock prices')).not.toMatch(/\bTRIN\b/);
  });

  it('stays complete if providers refuse, which the run names without their keys', async () => {
    const before = await strip();
    stubs.fault('alpaca', '403');
    stubs.fault('yahoo', '403');
    const { stdout, stderr } = await collect();
    stubs.reset();
    expect(stdout + stderr).toMatch(/Alpaca refused the request \(403\)/);
    expect(stdout + stderr).not.toContain(STUB_KEYS.alpaca.secretKey);
    await refresh();
    expect(await strip()).toBe(before);
    expect(await originOf('Stock prices')).toContain('Alpaca');
  });
});
