import { describe, expect, it } from 'vitest';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { UsageError } from '../command.ts';
import { readEnvironment, SETTING_NAMES, unknownSettings } from './environment.ts';

const { mail } = readEnvironment({});

describe('readEnvironment', () => {
  it('has a default for every setting', () => {
    expect(readEnvironment({})).toEqual({
      host: '127.0.0.1',
      port: 4321,
      publicUrl: null,
      productName: 'Barometer',
      dataFolder: '.barometer',
      databaseUrl: null,
      drainSeconds: null,
      marketSource: 'simulated',
      isMarketSourceSet: false,
      marketCsvFolder: null,
      widgetSymbols: null,
      metricsToken: null,
      trustedProxies: undefined,
      ratePerSecond: 100,
      mail,
      mailReports: { token: null, folder: null },
      alerts: { webhooks: [], signingKey: null, allowsPrivate: false },
      alpaca: null,
      fredApiKey: null,
      marketProviders: ['alpaca', 'yahoo', 'cboe', 'fred', 'wsj'],
      marketUniverse: null,
      providerUrls: {
        alpaca: 'https://data.alpaca.markets',
        yahoo: 'https://query1.finance.yahoo.com',
        cboe: 'https://cdn.cboe.com',
        fred: 'https://api.stlouisfed.org',
        wsj: 'https://www.wsj.com',
      },
    });
  });

  it('treats an empty value as absent', () => {
    expect(readEnvironment({ PORT: '', DATABASE_URL: ' ', PRODUCT_NAME: '' })).toEqual(readEnvironment({}));
  });

  it('drops the trailing slash of the public address', () => {
    expect(readEnvironment({ PUBLIC_URL: 'https://example.org/market/' }).publicUrl).toBe(
      'https://example.org/market',
    );
  });

  it('refuses a PUBLIC_URL with a login, a query or a fragment without quoting it', () => {
    for (const more of [
      'me:secret@example.org',
      'secret@example.org',
      'example.org/?secret',
      'example.org/#secret',
    ]) {
      const read = () => readEnvironment({ PUBLIC_URL: `https://${more}` });
      expect(read, more).toThrow(/^PUBLIC_URL must be an address without a user, a password/);
      expect(read, more).not.toThrow(/secret/);
    }
    expect(readEnvironment({ PUBLIC_URL: 'HTTPS://Example.org:8443/a' }).publicUrl).toBe(
      'https://example.org:8443/a',
    );
  });

  it.each([
    ['PORT', '80a', /^PORT is "80a"; it must be a whole number from 0 to 65535\.$/],
    ['PORT', '70000', /^PORT is "70000"/],
    [
      'PUBLIC_URL',
      'example.org',
      /^PUBLIC_URL is "example\.org"; it must begin with http:\/\/ or https:\/\/\.$/,
    ],
    [
      'MARKET_SOURCE',
      'bloomberg',
      /^MARKET_SOURCE is "bloomberg"; it must be one of simulated, csv, live\.$/,
    ],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, proxy',
      /^TRUSTED_PROXIES is "10\.0\.0\.0\/8, proxy"; it must be addresses and networks/,
    ],
    ['RATE_PER_SECOND', '-1', /^RATE_PER_SECOND is "-1"; it must be a whole number from 0 to 100000\.$/],
    ['MAIL_PER_SECOND', 'all', /^MAIL_PER_SECOND is "all"/],
    ['DRAIN_SECONDS', '61', /^DRAIN_SECONDS is "61"; it must be a whole number from 0 to 60\.$/],
    ['PRODUCT_NAME', 'x'.repeat(61), /^PRODUCT_NAME has 61 characters/],
    [
      'WIDGET_SYMBOLS',
      'SPY',
      /^WIDGET_SYMBOLS is "SPY"; it must be up to 12 symbols as EXCHANGE:SYMBOL\|Name/,
    ],
  ])('names the setting %s if its value is wrong', (name, value, message) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(UsageError);
    expect(() => readEnvironment({ [name]: value })).toThrow(message);
  });

  it('parses a list of trusted proxies', () => {
    const { trustedProxies } = readEnvironment({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1' });
    expect(trustedProxies?.check('10.1.2.3')).toBe(true);
    expect(trustedProxies?.check('2001:db8::1', 'ipv6')).toBe(true);
    expect(trustedProxies?.check('11.1.2.3')).toBe(false);
  });

  it('accepts the URL of a Postgres', () => {
    const url = 'postgres://reader:s%40cret@db.example.org:6543/postgres?sslmode=require';
    expect(readEnvironment({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it.each([
    ['postgres://reader:se#cret@db.example.org/postgres', /^DATABASE_URL is invalid; in user and password/],
    ['postgres://reader:secret@one,two/postgres', /^DATABASE_URL names several hosts/],
    ['postgres://reader:secret@one/postgres?sslmode=prefer', /^DATABASE_URL has an sslmode that is none of/],
    ['mysql://reader:secret@one/postgres', /^DATABASE_URL is not an address; it must begin with postgres:/],
  ])('refuses DATABASE_URL %s without quoting it', (url, sentence) => {
    const read = () => readEnvironment({ DATABASE_URL: url });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(/cret/);
  });
});

describe('the names of the settings', () => {
  it('are those in .env.example', () => {
    expect([...SETTING_NAMES].sort()).toEqual([...new Set(documentedSettings())].sort());
  });

  it('cause a warning about any other name in .env', () => {
    expect(unknownSettings(['PORT', 'PGSSLROOTCERT', 'NODE_EXTRA_CA_CERTS', 'MARKET_SORCE'])).toEqual([
      '.env sets MARKET_SORCE, which is not a setting and has no effect; .env.example lists the settings.',
    ]);
  });
});
