import { expect, it } from 'vitest';
import { readEnvironment } from './settings/environment.ts';
import { UsageError } from './settings/usage-error.ts';
import { chooseSource } from './source-choice.ts';

const choosing =
  (values: Record<string, string>, flags: Record<string, string | boolean> = {}) =>
  () =>
    chooseSource(readEnvironment(values), flags);

const LIVE = { MARKET_SOURCE: 'live' };
const KEYS = { ALPACA_KEY_ID: 'PK1', ALPACA_SECRET_KEY: 'hush' };

it('prefers the source of the flag to that of the setting', () => {
  expect(chooseSource(readEnvironment({}), {}).name).toBe('simulated');
  expect(chooseSource(readEnvironment(LIVE), {}).name).toBe('live');
  expect(chooseSource(readEnvironment({}), { source: 'live' }).name).toBe('live');
  expect(chooseSource(readEnvironment(LIVE), { source: 'csv', dir: 'market' }).name).toBe('csv');
  expect(chooseSource(readEnvironment(LIVE), { source: 'simulated' }).name).toBe('simulated');
});

it.each(['replay', 'as-of', 'dir'])('refuses --%s with live and simulated data', (flag) => {
  const flags = { [flag]: flag === 'replay' ? true : '2026-01-02' };
  for (const values of [LIVE, {}]) {
    expect(choosing(values, flags)).toThrow(UsageError);
    expect(choosing(values, flags)).toThrow(/^--replay, --as-of and --dir work only with the csv source\.$/);
  }
});

it('names the settings to change if no provider has live bars', () => {
  for (const values of [
    { MARKET_PROVIDERS: 'alpaca,cboe,fred,wsj' },
    { MARKET_PROVIDERS: 'cboe,fred', ...KEYS },
  ]) {
    expect(choosing({ ...LIVE, ...values })).toThrow(UsageError);
    expect(choosing({ ...LIVE, ...values })).toThrow(
      /^No provider of the live source has daily bars\. Set ALPACA_KEY_ID and ALPACA_SECRET_KEY .* add yahoo to MARKET_PROVIDERS\.$/,
    );
  }
  expect(choosing({ ...LIVE, ...KEYS, MARKET_PROVIDERS: 'alpaca' })()).toMatchObject({ name: 'live' });
});
