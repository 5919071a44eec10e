import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { marketFolder } from '#tests/support/market-folder.ts';
import { readEnvironment } from '../settings/environment.ts';
import {
  checkAddress,
  checkMailSettings,
  checkSource,
  checkWebhooks,
  examineInputProviders,
  examineUniverse,
} from './check-settings.ts';
import type { Check } from './finding.ts';

const SMTP = { SMTP_URL: 'smtp://me:hush@mail.example.org:2525', MAIL_FROM: 'a@example.org' };
const KEYS = { ALPACA_KEY_ID: 'PK1', ALPACA_SECRET_KEY: 'hush', FRED_API_KEY: 'hush' };
const checked = async (check: Check, values: Record<string, string>, now = 0) =>
  linesOf(await check(subjectOf(values, now)));
const plan = (values: Record<string, string>) => linesOf(examineInputProviders(readEnvironment(values)));

it('lists the providers of each input in the order of requests', () => {
  const all = plan(KEYS);
  expect(all).toContain('fine Stock prices, Treasury bond fund: Alpaca, then Yahoo Finance.');
  expect(all).toContain(
    'fine Index levels (S&P 500, Nasdaq Composite, Dow Jones): Yahoo Finance, then FRED.',
  );
  expect(all).toContain('fine VIX: Cboe, then Yahoo Finance.');
  expect(all.filter((line) => !line.startsWith('fine'))).toEqual([]);
  expect(all.join('\n')).not.toContain('hush');
});

it('names unused providers and the inputs that lack a provider', () => {
  const some = plan({ MARKET_PROVIDERS: 'yahoo,cboe,fred' });
  expect(some).toContain(
    'fine Stock prices, Treasury bond fund: Yahoo Finance; Alpaca is not used: not in MARKET_PROVIDERS.',
  );
  expect(some.find((line) => line.includes('Credit spreads'))).toMatch(
    /^note Credit spreads .*: no provider; FRED is not used: FRED_API_KEY is not set\.$/,
  );
  expect(some.find((line) => line.includes('NYSE counts'))).toMatch(
    /^note .*no provider; The Wall Street Journal is not used: not in MARKET_PROVIDERS\.$/,
  );
});

it('reports a fault if no provider has bars', () => {
  expect(plan({ MARKET_PROVIDERS: 'alpaca,cboe' })[0]).toMatch(
    /^wrong Stock prices.*: no provider; Alpaca is not used: ALPACA_KEY_ID and ALPACA_SECRET_KEY are not set; Yahoo/,
  );
});

it('names the first invalid row of the company file', async () => {
  const text = 'symbol,name,sector\nAAPL,Apple,Information Technology\n,Nobody,Energy\n';
  const { dir, remove } = marketFolder({ 'mine.csv': text });
  const universe = (values: Record<string, string>) => examineUniverse(readEnvironment(values));
  const own = join(dir, 'mine.csv');

  expect(await universe({})).toMatchObject({
    state: 'fine',
    text: expect.stringMatching(/^MARKET_SOURCE is live, following 503 stocks of .*sp500\.csv\.$/),
  });
  expect(await universe({ MARKET_UNIVERSE: own })).toEqual({
    state: 'note',
    text: `MARKET_SOURCE is live, following 1 stock of ${own}; 1 row cannot be used: mine.csv, line 3, column symbol: there is no value.`,
  });
  expect(await universe({ MARKET_UNIVERSE: join(dir, 'none.csv') })).toMatchObject({
    state: 'wrong',
    text: expect.stringMatching(/^MARKET_UNIVERSE: \/.*none\.csv cannot be read/),
  });
  remove();
});

it('names each missing mail setting without quoting the login', async () => {
  const settings = (values: Record<string, string>) => checked(checkMailSettings, values);
  expect(await settings({ BAROMETER_DATA_DIR: '/data' })).toEqual([
    'note SMTP_URL is not set, so mails are written into /data/outbox and not sent.',
  ]);
  const bare = await settings({ ...SMTP, PUBLIC_URL: 'http://example.org' });
  expect(bare[0]).toBe('fine Mail is sent through mail.example.org:2525, at most 10 per second.');
  expect(bare.slice(1).map((text) => text.split(/[,.] /)[0])).toEqual([
    'note PUBLIC_URL is not https',
    'note MAIL_POSTAL_ADDRESS is not set',
    'note SUBSCRIBE_CONFIRM is off',
  ]);
  expect(bare.join()).not.toMatch(/hush|me@/);
  expect(
    await settings({
      ...SMTP,
      PUBLIC_URL: 'https://example.org',
      MAIL_POSTAL_ADDRESS: '1 Main St',
      SUBSCRIBE_CONFIRM: 'true',
    }),
  ).toHaveLength(1);
});

it('names the missing files of the CSV folder', async () => {
  const day = 'date\n2026-11-13\n';
  const { dir, remove } = marketFolder({ 'bars.csv': day, 'sp500.csv': day, 'vix.csv': day });
  const source = (values: Record<string, string>) =>
    checked(checkSource, { MARKET_SOURCE: 'csv', ...values });
  expect(await source({})).toEqual([
    'wrong MARKET_SOURCE is csv, but MARKET_CSV_DIR is not set. Set it to the folder of the files.',
  ]);
  expect(await source({ MARKET_CSV_DIR: dir })).toEqual([
    `fine MARKET_SOURCE is csv, from ${dir}.`,
    'note MARKET_CSV_DIR has no put-call.csv, nyse-advance-decline.csv, nyse-highs-lows.csv, credit-spreads.csv, treasury-10y.csv, indices.csv, so indicators that need these files stay empty.',
    'fine bars.csv ends on 2026-11-13.',
    'fine sp500.csv ends on 2026-11-13.',
    'fine vix.csv ends on 2026-11-13.',
  ]);
  const file = join(dir, 'bars.csv');
  expect(await source({ MARKET_CSV_DIR: file })).toEqual([
    `wrong MARKET_CSV_DIR is ${file}, which is not a folder. Set it to the folder of the files.`,
  ]);
  remove();
});

it('names the last day of each file of the CSV folder and the sessions it is behind', async () => {
  const { dir, write, remove } = marketFolder({
    'bars-2025.csv': 'symbol,date\nAAA,2025-12-31\n',
    'bars-2026.csv': 'symbol,date\nAAA,2026-11-20\nAAA,2026-11-19\n',
    'put-call.csv': 'date,total\n2026-11-12,1\n2026-11-13,1\n2026-11-16,\n',
    'vix.csv': 'date,close\n20 Nov 2026,18\n',
  });
  const monday = Date.parse('2026-11-23T15:00:00Z');
  const source = async () =>
    (await checked(checkSource, { MARKET_SOURCE: 'csv', MARKET_CSV_DIR: dir }, monday)).slice(2);
  expect(await source()).toEqual([
    'fine bars-2026.csv ends on 2026-11-20.',
    'note vix.csv has no row with a date. Write dates as YYYY-MM-DD.',
    'note put-call.csv ends on 2026-11-16, 4 sessions behind. Add newer rows, then run collect.',
  ]);
  write('vix.csv', 'day,close\n2026-11-20,18\n');
  expect(await source()).toEqual([
    expect.stringMatching(
      /^wrong vix\.csv, line 1: the header must have the columns date; column date is not/,
    ),
  ]);
  remove();
});

it('reports a missing PUBLIC_URL if the server listens on a public address', async () => {
  expect(await checked(checkAddress, { HOST: '0.0.0.0' })).toEqual([
    'wrong The server listens on 0.0.0.0, but PUBLIC_URL is not set, so links lead to this machine. Set PUBLIC_URL.',
  ]);
  expect(await checked(checkAddress, { HOST: '0.0.0.0', PUBLIC_URL: 'https://example.org' })).toEqual([
    'fine PUBLIC_URL is https://example.org.',
  ]);
  expect((await checked(checkAddress, {}))[0]).toMatch(/^note PUBLIC_URL is not set/);
});

it('names the webhooks by place and kind, never by URL', async () => {
  const webhooks = 'slack=https://hooks.example/T0KEN ntfy=https://ntfy.example/hush';
  const found = await checked(checkWebhooks, { ALERT_WEBHOOKS: webhooks, ALERT_ALLOW_PRIVATE: 'true' });
  expect(found).toEqual([
    'fine Changes of the verdict go to webhook 1 (slack), webhook 2 (ntfy). "alerts test" sends a test message.',
    'note ALERT_ALLOW_PRIVATE is true: webhooks may be at private addresses.',
  ]);
  expect(await checked(checkWebhooks, {})).toEqual([
    'note ALERT_WEBHOOKS is not set: no webhook is called when the verdict changes.',
  ]);
});
