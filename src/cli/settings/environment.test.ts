import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentedSettings, settingsFile } from '#tests/support/documented-settings.ts';
import { readEnvironment, SETTING_NAMES, unknownSettings, type Values } from './environment.ts';
import { UsageError } from './usage-error.ts';

const DEFAULTS = {
  host: '127.0.0.1',
  port: 4321,
  publicUrl: null,
  productName: 'Barometer',
  dataFolder: '.barometer',
  databaseUrl: null,
  drainSeconds: null,
  publishing: { audience: null, licences: new Map(), delay: 0 },
  pagePassword: null,
  marketSource: 'simulated',
  hosted: null,
  isMarketSourceSet: false,
  marketCsvFolder: null,
  widgets: 'tradingview',
  widgetSymbols: null,
  metricsToken: null,
  trustedProxies: undefined,
  ratePerSecond: 100,
  mail: {
    productName: 'Barometer',
    publicUrl: 'http://127.0.0.1:4321',
    smtpUrl: null,
    from: { name: 'Barometer', address: 'signal@localhost' },
    bounceAddress: null,
    postalAddress: null,
    perSecond: 10,
    outboxFolder: resolve('.barometer/outbox'),
    doubleOptIn: false,
    signalTime: { weekday: 6, minutes: 540 },
    publishDelay: 0,
  },
  mailReports: { token: null, folder: null, webhooks: [] },
  alerts: { webhooks: [], signingKey: null, allowsPrivate: false },
  anchors: { git: null, timestamp: null, witness: null },
  alpaca: null,
  fredApiKey: null,
  marketProviders: ['alpaca', 'yahoo', 'cboe', 'fred', 'treasury', 'ofr', 'wsj'],
  marketUniverse: null,
  providerUrls: {
    alpaca: 'https://data.alpaca.markets',
    yahoo: 'https://query1.finance.yahoo.com',
    cboe: 'https://cdn.cboe.com',
    fred: 'https://api.stlouisfed.org',
    treasury: 'https://home.treasury.gov',
    ofr: 'https://www.financialresearch.gov',
    wsj: 'https://www.wsj.com',
  },
};

it('has a default for every setting, also if its value is empty', () => {
  expect(readEnvironment({})).toEqual(DEFAULTS);
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, ' ']));
  expect(readEnvironment(empty)).toEqual(DEFAULTS);
});

const POSTGRES = 'postgres://reader:s%40cret@db.example.org:6543/postgres?sslmode=require';
const SMTP = {
  SMTP_URL: 'smtps://me:p%40ss@mail.example.org:465',
  MAIL_FROM: 'a@example.org',
  PUBLIC_URL: 'https://example.org',
};
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const WEBHOOKS = [
  ['generic', 'https://example.org/hook?a=b=c,d'],
  ['slack', 'https://hooks.slack.example/T/B/X'],
  ['telegram', 'https://api.telegram.example/bot1/sendMessage?chat_id=-1'],
] as const;
const sender = (MAIL_FROM: string, name: string, address: string): [Values, object] => [
  { MAIL_FROM },
  { mail: { from: { name, address } } },
];
const provider = (ALPACA_URL: string, alpaca: string): [Values, object] => [
  { ALPACA_URL },
  { providerUrls: { alpaca } },
];

const ACCEPTED: [Values, object][] = [
  [{ PUBLIC_URL: 'https://example.org/market/' }, { publicUrl: 'https://example.org/market' }],
  [{ PUBLIC_URL: 'HTTPS://Example.org:8443/a' }, { publicUrl: 'https://example.org:8443/a' }],
  [{ DATABASE_URL: POSTGRES }, { databaseUrl: POSTGRES }],
  [{ HOST: '::1' }, { mail: { publicUrl: 'http://[::1]:4321' } }],
  [SMTP, { mail: { smtpUrl: SMTP.SMTP_URL, publicUrl: SMTP.PUBLIC_URL } }],
  sender('Barometer <signal@example.org>', 'Barometer', 'signal@example.org'),
  sender('signal@example.org', 'Barometer', 'signal@example.org'),
  sender('<signal@localhost>', 'Barometer', 'signal@localhost'),
  sender('"Kompass, Inc." <signal@münchen.example>', 'Kompass, Inc.', 'signal@münchen.example'),
  sender("Jane's Wöchentliches <a+b@example.org>", "Jane's Wöchentliches", 'a+b@example.org'),
  [{ SIGNAL_AT: 'Fri 17:30' }, { mail: { signalTime: { weekday: 5, minutes: 1050 } } }],
  [{ SUBSCRIBE_CONFIRM: 'true' }, { mail: { doubleOptIn: true } }],
  [
    { MAIL_PER_SECOND: '50', MAIL_POSTAL_ADDRESS: '1 Main St' },
    { mail: { perSecond: 50, postalAddress: '1 Main St' } },
  ],
  [
    {
      MAIL_BOUNCE_ADDRESS: 'Bounces@Example.org',
      MAIL_BOUNCE_TOKEN: '0123456789abcdef',
      MAIL_BOUNCE_DIR: '/var/mail/new',
    },
    {
      mail: { bounceAddress: 'bounces@example.org' },
      mailReports: { token: '0123456789abcdef', folder: '/var/mail/new' },
    },
  ],
  [
    { MAIL_WEBHOOKS: 'postmark=me:0123456789abcdef  ses=arn:aws:sns:eu-west-1:123456789012:topic' },
    {
      mailReports: {
        webhooks: [
          { service: 'postmark', secret: 'me:0123456789abcdef' },
          { service: 'ses', secret: 'arn:aws:sns:eu-west-1:123456789012:topic' },
        ],
      },
    },
  ],
  [
    { ALERT_WEBHOOKS: WEBHOOKS.map((webhook) => webhook.join('=')).join('  '), ALERT_SECRET: SECRET },
    { alerts: { webhooks: WEBHOOKS.map(([kind, url]) => ({ kind, url })), signingKey: Buffer.alloc(24, 7) } },
  ],
  [
    { ALERT_WEBHOOKS: 'slack=http://10.0.0.1/', ALERT_ALLOW_PRIVATE: 'true' },
    { alerts: { allowsPrivate: true } },
  ],
  [
    { ALPACA_KEY_ID: ' PK123 ', ALPACA_SECRET_KEY: 's3cret' },
    { alpaca: { keyId: 'PK123', secretKey: 's3cret' } },
  ],
  ...['https://me:hush@example.org/ledger.git', 'git@example.org:me/ledger.git', '/srv/ledger.git'].map(
    (git): [Values, object] => [{ LEDGER_GIT: git }, { anchors: { git } }],
  ),
  [{ MARKET_PROVIDERS: 'wsj, yahoo,yahoo' }, { marketProviders: ['yahoo', 'wsj'] }],
  [
    { AUDIENCE: 'public', LICENSES: 'own, cboe:value,alpaca:none', PUBLISH_DELAY: 'T+1' },
    {
      publishing: {
        audience: 'public',
        licences: new Map([
          ['csv', 'value'],
          ['cboe', 'value'],
          ['alpaca', 'none'],
        ]),
        delay: 1,
      },
      mail: { publishDelay: 1 },
    },
  ],
  [{ AUDIENCE: 'private', PAGE_PASSWORD: ' pä%ss "=; ✓' }, { pagePassword: 'pä%ss "=; ✓' }],
  provider('https://proxy.example/alpaca/', 'https://proxy.example/alpaca'),
  provider('http://127.0.0.1:8080', 'http://127.0.0.1:8080'),
  provider('http://localhost:8080/', 'http://localhost:8080'),
  provider('http://[::1]:8080', 'http://[::1]:8080'),
];

it.each(ACCEPTED)('reads %j', (values, expected) => {
  expect(readEnvironment(values)).toMatchObject(expected);
});

it('parses a list of trusted proxies', () => {
  const { trustedProxies } = readEnvironment({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1' });
  expect(trustedProxies?.check('10.1.2.3')).toBe(true);
  expect(trustedProxies?.check('2001:db8::1', 'ipv6')).toBe(true);
  expect(trustedProxies?.check('11.1.2.3')).toBe(false);
});

/** Wrong values of one setting, whose name begins the message. Their secret parts have the word 'hush'. */
const each = (name: string, rest: RegExp, ...values: string[]): [Values, RegExp][] => {
  const message = new RegExp(`^${name}:? ${rest.source}`);
  return values.map((value) => [{ ...SMTP, SMTP_URL: '', [name]: value }, message]);
};

const REFUSED: [Values, RegExp][] = [
  ...each('PORT', /is "80a"; it must be a whole number from 0 to 65535\.$/, '80a'),
  ...each('PORT', /is "70000"/, '70000'),
  ...each('PUBLIC_URL', /is "example\.org"; it must begin with http:\/\/ or https:\/\/\.$/, 'example.org'),
  ...each(
    'PUBLIC_URL',
    /must be an address without a user, a password/,
    ...['https://me:hush@example.org', 'https://hush@example.org'],
    ...['https://example.org/?hush', 'https://example.org/#hush'],
  ),
  ...each('MARKET_SOURCE', /is "bloomberg"; it must be one of simulated, csv, live\.$/, 'bloomberg'),
  ...each('TRUSTED_PROXIES', /is "10.*proxy"; it must be addresses and networks/, '10.0.0.0/8, proxy'),
  ...each('AUDIENCE', /is "all"; it must be one of private, public\.$/, 'all'),
  ...each('PUBLISH_DELAY', /is "T\+7"; it must be one of T\+0, T\+1\.$/, 'T+7'),
  ...each(
    'LICENSES',
    /has "[^"]*"; it must be own or PROVIDER:RIGHT, each provider once, .* Providers: alpaca, .*csv\. Rights: none, derived, value\.$/,
    ...['reuters:value', 'cboe', 'cboe:all', 'own,', 'own,csv:none', 'own:value'],
  ),
  [{ LICENSES: 'own' }, /^LICENSES works only with AUDIENCE=public\. Set both or neither\.$/],
  [{ AUDIENCE: 'private' }, /^AUDIENCE=private needs PAGE_PASSWORD, which opens the page\. Set both\.$/],
  [{ PAGE_PASSWORD: 'hush hush' }, /^PAGE_PASSWORD works only with AUDIENCE=private\. Set both or/],
  ...each('PAGE_PASSWORD', /must have 8 to 512 characters\.$/, 'hush💰', 'h'.repeat(513)),
  ...each('RATE_PER_SECOND', /is "-1"; it must be a whole number from 0 to 100000\.$/, '-1'),
  ...each('DRAIN_SECONDS', /is "61"; it must be a whole number from 0 to 60\.$/, '61'),
  ...each('PRODUCT_NAME', /has 61 characters/, 'x'.repeat(61)),
  ...each('WIDGET_SYMBOLS', /is "SPY"; it must be up to 12 symbols as EXCHANGE:SYMBOL\|Name/, 'SPY'),
  ...each('DATABASE_URL', /is invalid; in user and password/, 'postgres://me:hu#hush@one/postgres'),
  ...each('DATABASE_URL', /names several hosts/, 'postgres://me:hush@one,two/postgres'),
  ...each('DATABASE_URL', /has an sslmode that is none of/, 'postgres://me:hush@one/a?sslmode=prefer'),
  ...each('DATABASE_URL', /is not an address; it must begin with postgres:/, 'mysql://me:hush@one/a'),
  [{ ...SMTP, PUBLIC_URL: '' }, /^SMTP_URL is set without PUBLIC_URL/],
  [{ ...SMTP, MAIL_FROM: '' }, /^SMTP_URL is set without MAIL_FROM/],
  ...each(
    'SMTP_URL',
    /is not an address(?!.*mail\.example)/,
    ...['https://me:hush@mail.example.org', 'smtp://me:hush@', 'smtp://me:hush@mail.example.org/hush'],
    ...['smtp://me:hush@mail.example.org?logger=true', 'smtp://me:hush@mail.example.org#hush'],
    ...['smtp://me:hush%@mail.example.org', 'smtp://hush@mail.example.org', 'hush'],
    'smtp://me:hush@mail.example.org:99999',
  ),
  ...each(
    'MAIL_FROM',
    /must be one sender in one line/,
    // Line breaks, lists, a group, two "@", missing and empty parts, a space, other letters, open marks, too long.
    ...['A\nBcc: x@example.org <a@example.org>', 'A <a@example.org>\rBcc: x@example.org'],
    ...['a@example.org, b@example.org', 'A <a@example.org>, B <b@example.org>', 'x@a.b, A <a@a.b>'],
    ...['A: a@example.org;', 'a@b@example.org', 'a@', 'a@example', 'a@example..org', 'a b@example.org'],
    ...['ä@example.org', 'A <a@example.org', '"A <a@example.org>', `${'a'.repeat(250)}@example.org`],
  ),
  ...each('MAIL_PER_SECOND', /is "0"; it must be a whole number from 1 to 1000\.$/, '0'),
  ...each('MAIL_PER_SECOND', /is "/, 'all', '2.5', '1e3'),
  ...each('MAIL_POSTAL_ADDRESS', /must be one line of 200/, 'One\nTwo', 'x'.repeat(201)),
  ...each('SIGNAL_AT', /is "Saturday"; it must be a day and a time in New York as "Sat 09:00"/, 'Saturday'),
  ...each('SIGNAL_AT', /is "Wed 12:00"; .* not from 9:30 to 16:15 of Monday to Friday/, 'Wed 12:00'),
  ...each('SUBSCRIBE_CONFIRM', /is "yes"; it must be true or false\.$/, 'yes'),
  ...each('MAIL_BOUNCE_TOKEN', /is set without MAIL_BOUNCE_ADDRESS/, '0123456789abcdef'),
  ...each('MAIL_BOUNCE_DIR', /is set without/, 'new'),
  ...each('MAIL_BOUNCE_TOKEN', /must have 16 to 512 printable characters/, 'hush'),
  ...each(
    'MAIL_BOUNCE_ADDRESS',
    /must be an address with at most 25 characters/,
    ...['bounces', 'a b@example.org', `${'b'.repeat(26)}@example.org`],
  ),
  ...each(
    'MAIL_WEBHOOKS',
    /webhook 2 is not right; write each service once as service=secret: ses \(/,
    ...['ses=hush', 'postmark=hush', 'sendgrid=hush', 'resend=hush', 'toString=hush', 'hush'].map(
      (wrong) => `mailgun=key-0123456789abcdef ${wrong}`,
    ),
  ),
  ...each('MAIL_WEBHOOKS', /a service has two/, 'mailgun=hush0123456789abc mailgun=hush0123456789abd'),
  ...each(
    'ALERT_WEBHOOKS',
    /webhook 2 is not right; write kind=URL/,
    ...['https://hush.example', 'teams=https://hush.example', 'slack=hush', 'slack=ftp://hush.example']
      .concat('slack=https://me:hush@example.org', 'telegram=https://api.telegram.example/hush/sendMessage')
      .map((wrong) => `slack=https://hooks.example/hush ${wrong}`),
  ),
  ...each('ALERT_WEBHOOKS', /.*generic webhook without ALERT_SECRET/, 'generic=https://example.org/hush'),
  ...each('ALERT_WEBHOOKS', /.*https:\/\/, or set ALERT_ALLOW_PRIVATE=true/, 'slack=http://10.0.0.1/hush'),
  ...each(
    'ALERT_SECRET',
    /must be "whsec_" and the base64 of 24 to 64 random bytes\.$/,
    ...['hush', 'whsec_', 'whsec_aHVzaA==', `whsec_${'A'.repeat(100)}`],
  ),
  ...each('LEDGER_GIT', /is not an address of a git repository; it must/, 'hush', '-hush', 'ext::hush'),
  ...each('LEDGER_TSA', /must be an address/, 'hush', 'https://me:hush@example.org'),
  ...each('LEDGER_TSA', /.*; set both or neither\.$/, 'http://example.org'),
  ...each('LEDGER_TSA_CA', /.*it must be a readable file with one or more/, '/nowhere', 'package.json'),
  ...each(
    'LEDGER_WITNESS',
    /.*the witness's address, a blank/,
    'https://example.org',
    'https://a.b w+0+AA==',
  ),
  ...each('ALPACA_KEY_ID', /is set without ALPACA_SECRET_KEY\. Set both or neither\.$/, 'hush'),
  ...each('ALPACA_SECRET_KEY', /is set without ALPACA_KEY_ID/, 'hush'),
  [{ ALPACA_KEY_ID: 'a', ALPACA_SECRET_KEY: 'hushé' }, /^ALPACA_SECRET_KEY has a blank or a character/],
  ...each('FRED_API_KEY', /has a blank or a character/, 'hush hush', 'hush\nX-Other: 1'),
  ...each(
    'MARKET_PROVIDERS',
    /names "(stooq|Alpaca|)"; it must be a list of alpaca, yahoo, cboe, fred, treasury, ofr, wsj, separated/,
    ...['stooq', 'alpaca,stooq', 'alpaca,,yahoo', 'Alpaca', ','],
  ),
  ...each(
    'FRED_URL',
    /must be an address that begins with https:/,
    ...['https://me:hush@host', 'https://host/?api_key=hush', 'hush', 'http://proxy.example'],
    ...['http://127.0.0.1.example', 'ftp://127.0.0.1', 'data.example'],
  ),
];

it.each(REFUSED)(
  'refuses %j by a sentence that names the setting and quotes no secret',
  (values, message) => {
    const read = () => readEnvironment(values);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/hush/);
  },
);

describe('the names of the settings', () => {
  it('are those in .env.example', () => {
    expect([...SETTING_NAMES].sort()).toEqual([...new Set(documentedSettings())].sort());
  });

  it('include MAIL_WEBHOOKS, whose example is valid', () => {
    const [, example = ''] = /^#MAIL_WEBHOOKS=(.+)$/m.exec(settingsFile()) ?? [];
    expect(readEnvironment({ MAIL_WEBHOOKS: example }).mailReports.webhooks).toHaveLength(2);
  });

  it('cause a warning about any other name in .env', () => {
    expect(unknownSettings(['PORT', 'PGSSLROOTCERT', 'NODE_EXTRA_CA_CERTS', 'MARKET_SORCE'])).toEqual([
      '.env sets MARKET_SORCE, which is not a setting and has no effect; .env.example lists the settings.',
    ]);
  });

  it('cause a warning about a similar name in the environment', () => {
    expect(unknownSettings([], ['MARKET_SORUCE', 'BAROMETER_DATADIR', 'MARKET_SOURCE', 'SHELL'])).toEqual([
      'The environment sets MARKET_SORUCE, which is not a setting and has no effect; .env.example lists the settings.',
      'The environment sets BAROMETER_DATADIR, which is not a setting and has no effect; .env.example lists the settings.',
    ]);
  });

  it.each([
    'BAROMETER_SERVICE_HOST',
    'BAROMETER_SERVICE_PORT_HTTP',
    'BAROMETER_PORT',
    'BAROMETER_PORT_4321_TCP_ADDR',
    'MAILCHECK',
    'GITHUB_TOKEN',
  ])('cause no warning about %s in the environment, which another program sets', (name) => {
    expect(unknownSettings([], [name])).toEqual([]);
  });
});
