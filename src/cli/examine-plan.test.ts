import { join } from 'node:path';
import { expect, it } from 'vitest';
import { marketFolder } from '#tests/support/market-folder.ts';
import { examinePlan, examineUniverse } from './examine-plan.ts';
import { readProviderSettings } from './provider-settings.ts';

const KEYS = { ALPACA_KEY_ID: 'PK1', ALPACA_SECRET_KEY: 'hush', FRED_API_KEY: 'hush' };
const plan = (values: Record<string, string>) =>
  examinePlan(readProviderSettings(values)).map(({ state, text }) => `${state} ${text}`);

it('prints whom it asks for what, in which order', () => {
  const all = plan(KEYS);
  expect(all).toContain('fine Stock prices, Treasury bond fund: Alpaca, then Yahoo Finance.');
  expect(all).toContain(
    'fine Index levels (S&P 500, Nasdaq Composite, Dow Jones): Yahoo Finance, then FRED.',
  );
  expect(all).toContain('fine VIX: Cboe, then Yahoo Finance.');
  expect(all.filter((line) => !line.startsWith('fine'))).toEqual([]);
  expect(all.join('\n')).not.toContain('hush');
});

it('says who is left out and why, and what then is missing', () => {
  const some = plan({ MARKET_PROVIDERS: 'yahoo,cboe,fred' });
  expect(some).toContain(
    'fine Stock prices, Treasury bond fund: Yahoo Finance; Alpaca is left out: not in MARKET_PROVIDERS.',
  );
  expect(some.find((line) => line.includes('Credit spreads'))).toMatch(
    /^note Credit spreads .*: nobody; FRED is left out: FRED_API_KEY is not set\.$/,
  );
  expect(some.find((line) => line.includes('NYSE counts'))).toMatch(
    /^note .*nobody; The Wall Street Journal is left out: not in MARKET_PROVIDERS\.$/,
  );
});

it('finds it wrong when nobody gives bars', () => {
  expect(plan({ MARKET_PROVIDERS: 'alpaca,cboe' })[0]).toMatch(
    /^wrong Stock prices.*: nobody; Alpaca is left out: ALPACA_KEY_ID and ALPACA_SECRET_KEY are not set; Yahoo/,
  );
});

it('reads the file of the companies', async () => {
  const text = 'symbol,name,sector\nAAPL,Apple,Information Technology\n,Nobody,Energy\n';
  const { dir, remove } = marketFolder({ 'mine.csv': text });
  const universe = (values: Record<string, string>) => examineUniverse(readProviderSettings(values));
  const own = join(dir, 'mine.csv');

  expect(await universe({})).toMatchObject({
    state: 'fine',
    text: expect.stringMatching(/^MARKET_SOURCE is live, following 503 stocks of .*sp500\.csv\.$/),
  });
  expect(await universe({ MARKET_UNIVERSE: own })).toEqual({
    state: 'note',
    text: `MARKET_SOURCE is live, following 1 stock of ${own}; 1 of its rows cannot be used, the first is mine.csv, line 3, column symbol: there is no value.`,
  });
  expect(await universe({ MARKET_UNIVERSE: join(dir, 'none.csv') })).toMatchObject({
    state: 'wrong',
    text: expect.stringMatching(/^MARKET_UNIVERSE: none\.csv cannot be read/),
  });
  remove();
});
