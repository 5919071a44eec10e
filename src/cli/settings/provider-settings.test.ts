import { expect, it } from 'vitest';
import { UsageError } from '../command.ts';
import { readEnvironment } from './environment.ts';

const reading = (values: Record<string, string>) => () => readEnvironment(values);

it('requires both keys of Alpaca or neither', () => {
  const both = { ALPACA_KEY_ID: ' PK123 ', ALPACA_SECRET_KEY: 's3cret' };
  expect(readEnvironment(both).alpaca).toEqual({ keyId: 'PK123', secretKey: 's3cret' });
  expect(reading({ ALPACA_KEY_ID: 'PK123' })).toThrow(
    /^ALPACA_KEY_ID is set without ALPACA_SECRET_KEY\. Set both or neither\.$/,
  );
  expect(reading({ ALPACA_SECRET_KEY: 's3cret', ALPACA_KEY_ID: '' })).toThrow(
    /^ALPACA_SECRET_KEY is set without ALPACA_KEY_ID/,
  );
});

it('reads a list of providers in any order and names an unknown one', () => {
  expect(readEnvironment({ MARKET_PROVIDERS: 'wsj, yahoo,yahoo' }).marketProviders).toEqual(['yahoo', 'wsj']);
  for (const wrong of ['stooq', 'alpaca,stooq', 'alpaca,,yahoo', 'Alpaca', ',']) {
    expect(reading({ MARKET_PROVIDERS: wrong }), wrong).toThrow(UsageError);
  }
  expect(reading({ MARKET_PROVIDERS: 'alpaca,stooq' })).toThrow(
    /^MARKET_PROVIDERS names "stooq"; it must be a list of alpaca, yahoo, cboe, fred, wsj, separated/,
  );
});

it('accepts https addresses of providers, and http on this machine', () => {
  for (const [url, read] of [
    ['https://proxy.example/alpaca/', 'https://proxy.example/alpaca'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ] as const) {
    expect(readEnvironment({ ALPACA_URL: url }).providerUrls.alpaca).toBe(read);
  }
  for (const url of ['http://proxy.example', 'http://127.0.0.1.example', 'ftp://127.0.0.1', 'data.example']) {
    expect(reading({ WSJ_URL: url }), url).toThrow(/^WSJ_URL must be an address that begins with https:/);
  }
});

it('quotes no value that may be a secret', () => {
  const wrong: Record<string, string>[] = [
    { FRED_URL: 'https://me:hush@host' },
    { FRED_URL: 'https://host/?api_key=hush' },
    { FRED_URL: 'hush' },
    { FRED_API_KEY: 'hush hush' },
    { FRED_API_KEY: 'hush\nX-Other: 1' },
    { ALPACA_KEY_ID: 'hush' },
    { ALPACA_KEY_ID: 'a', ALPACA_SECRET_KEY: 'hushé' },
  ];
  for (const values of wrong) {
    expect(reading(values), JSON.stringify(values)).toThrow(UsageError);
    expect(reading(values), JSON.stringify(values)).not.toThrow(/hush/);
  }
});
