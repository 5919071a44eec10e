import { join, resolve } from 'node:path';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { EVERYTHING, type Publishing } from '#collector/providers/rights.ts';
import type { WebhookSettings } from '#mailer/alerts/webhook-message.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import type { AnchorSettings } from '#record/ledger/anchor-services.ts';
import { urlOf } from '#server/http/listen.ts';
import * as parse from './setting-parsers.ts';
import { UsageError } from './usage-error.ts';

export type Values = Readonly<Record<string, string | undefined>>;

const checkLength = parse.textUpTo(8_192);

/** Creates a setting. Its value is `otherwise` if the variable is not set or empty. */
const setting = <T, Otherwise extends T | null | undefined>(
  name: string,
  parser: parse.Parse<T>,
  otherwise: Otherwise,
) => ({
  name,
  read(values: Values): T | Otherwise {
    const text = values[name]?.trim() ?? '';
    return text === '' ? otherwise : parser(checkLength(text, name), name);
  },
});

function readAll<Settings extends Readonly<Record<string, { read(values: Values): unknown }>>>(
  settings: Settings,
  values: Values,
) {
  const read = Object.entries(settings).map(([key, { read: readOne }]) => [key, readOne(values)]);
  return Object.fromEntries(read) as { [Key in keyof Settings]: ReturnType<Settings[Key]['read']> };
}

/** Parses MARKET_SOURCE and `--source`. */
export const toMarketSource = parse.oneOf(['simulated', 'csv', 'live']);

export const DEFAULT_DATA_FOLDER = '.barometer';

// `.env.example` describes all settings.
const GENERAL = {
  host: setting('HOST', checkLength, '127.0.0.1'),
  port: setting('PORT', parse.wholeNumber(0, 65_535), 4321),
  publicUrl: setting('PUBLIC_URL', parse.publicUrl, null),
  trustedProxies: setting('TRUSTED_PROXIES', parse.trustedProxies, undefined),
  /** Requests per second that one client may send; 0 for no limit. */
  ratePerSecond: setting('RATE_PER_SECOND', parse.wholeNumber(0, 100_000), 100),
  productName: setting('PRODUCT_NAME', parse.textUpTo(60), 'Barometer'),
  dataFolder: setting('BAROMETER_DATA_DIR', checkLength, DEFAULT_DATA_FOLDER),
  databaseUrl: setting('DATABASE_URL', parse.databaseUrl, null),
  /** Time for which a stopping server still responds to requests (s); null if not set. */
  drainSeconds: setting('DRAIN_SECONDS', parse.wholeNumber(0, 60), null),
  widgets: setting('WIDGETS', parse.oneOf(['own', 'tradingview']), 'tradingview'),
  widgetSymbols: setting('WIDGET_SYMBOLS', parse.widgetSymbols, null),
  marketSource: setting('MARKET_SOURCE', toMarketSource, null),
  marketCsvFolder: setting('MARKET_CSV_DIR', checkLength, null),
  fredApiKey: setting('FRED_API_KEY', parse.secret, null),
  /** The providers that the live source may use, ordered as in `PROVIDER_NAMES`. */
  marketProviders: setting('MARKET_PROVIDERS', parse.providerList, PROVIDER_NAMES),
  /** Path of a CSV file with the companies to follow; null for those of the S&P 500. */
  marketUniverse: setting('MARKET_UNIVERSE', checkLength, null),
  metricsToken: setting('METRICS_TOKEN', parse.secret, null),
};

const PUBLISHING = {
  /** Null if all data is shown to everybody. */
  audience: setting('AUDIENCE', parse.oneOf(['private', 'public'] as const), null),
  licences: setting('LICENSES', parse.licenceList, EVERYTHING.licences),
  delay: setting('PUBLISH_DELAY', parse.publishDelay, 0),
  pagePassword: setting('PAGE_PASSWORD', parse.password, null),
};

const ALPACA_KEYS = {
  keyId: setting('ALPACA_KEY_ID', parse.secret, null),
  secretKey: setting('ALPACA_SECRET_KEY', parse.secret, null),
};

const PROVIDER_URLS = {
  alpaca: setting('ALPACA_URL', parse.providerUrl, 'https://data.alpaca.markets'),
  yahoo: setting('YAHOO_URL', parse.providerUrl, 'https://query1.finance.yahoo.com'),
  cboe: setting('CBOE_URL', parse.providerUrl, 'https://cdn.cboe.com'),
  fred: setting('FRED_URL', parse.providerUrl, 'https://api.stlouisfed.org'),
  treasury: setting('TREASURY_URL', parse.providerUrl, 'https://home.treasury.gov'),
  ofr: setting('OFR_URL', parse.providerUrl, 'https://www.financialresearch.gov'),
  wsj: setting('WSJ_URL', parse.providerUrl, 'https://www.wsj.com'),
};

const MAIL = {
  smtpUrl: setting('SMTP_URL', parse.smtpUrl, null),
  from: setting('MAIL_FROM', parse.sender, null),
  bounceAddress: setting('MAIL_BOUNCE_ADDRESS', parse.bounceAddress, null),
  postalAddress: setting('MAIL_POSTAL_ADDRESS', parse.postalAddress, null),
  perSecond: setting('MAIL_PER_SECOND', parse.wholeNumber(1, 1_000), 10),
  signalTime: setting('SIGNAL_AT', parse.signalTime, { weekday: 6, minutes: 9 * 60 }),
  doubleOptIn: setting('SUBSCRIBE_CONFIRM', parse.toBoolean, false),
};

const REPORTS = {
  /** Bearer token of the endpoint for reports; null if there is no endpoint. */
  token: setting('MAIL_BOUNCE_TOKEN', parse.longSecret, null),
  /** Folder from which reports are read; null if there is none. */
  folder: setting('MAIL_BOUNCE_DIR', checkLength, null),
  webhooks: setting('MAIL_WEBHOOKS', parse.mailWebhookList, []),
};

const ALERTS = {
  webhooks: setting('ALERT_WEBHOOKS', parse.webhookList, []),
  signingKey: setting('ALERT_SECRET', parse.webhookSecret, null),
  allowsPrivate: setting('ALERT_ALLOW_PRIVATE', parse.toBoolean, false),
};

/** The external anchors, which keep checkpoints of the ledger. */
const LEDGER = {
  git: setting('LEDGER_GIT', parse.gitRepository, null),
  url: setting('LEDGER_TSA', parse.authorityUrl, null),
  trusted: setting('LEDGER_TSA_CA', parse.certificates, null),
  witness: setting('LEDGER_WITNESS', parse.witness, null),
};

/** The hosted backend that a static build and the files of `publish` read from. */
const HOSTED = {
  supabaseUrl: setting('VITE_SUPABASE_URL', parse.providerUrl, null),
  anonKey: setting('VITE_SUPABASE_ANON_KEY', parse.secret, null),
};

const BUILD_SETTINGS = ['VITE_ANALYTICS', 'VITE_SUBSCRIBE_CONFIRM', 'VITE_WIDGETS', 'VITE_WIDGET_SYMBOLS'];

export const SETTING_NAMES: readonly string[] = [
  ...[GENERAL, PUBLISHING, ALPACA_KEYS, PROVIDER_URLS, MAIL, REPORTS, ALERTS, LEDGER, HOSTED].flatMap(
    (group) => Object.values(group).map(({ name }) => name),
  ),
  ...BUILD_SETTINGS,
];

/** Matches the names of variables that Node.js, the Postgres client and the system read. */
const OTHER_PROGRAMS = /^(PG[A-Z]+|NODE_[A-Z_]+|TZ|DEBUG)$/;

/** Matches the names that begin like a setting and unlike a variable of another program. */
const OWN_NAME = /^(BAROMETER|MARKET|MAIL|ALERT|LEDGER|PUBLISH)_/;
/** Names that are not misspelt settings: Kubernetes, the Compose files and the benchmarks set them. */
const NOT_MISSPELT = /_SERVICE_(HOST|PORT)|_PORT(_\d+_|$)|^BAROMETER_(PASSWORD$|BENCH_)/;

const warningOf = (place: string, name: string) =>
  `${place} sets ${name}, which is not a setting and has no effect; .env.example lists the settings.`;

/** Returns a warning for each unknown name in `.env`, and for those in the environment that begin like a setting. */
export function unknownSettings(inFile: readonly string[], inEnvironment: readonly string[] = []): string[] {
  const isUnknown = (name: string) => !SETTING_NAMES.includes(name) && !OTHER_PROGRAMS.test(name);
  return [
    ...inFile.filter(isUnknown).map((name) => warningOf('.env', name)),
    ...inEnvironment
      .filter((name) => isUnknown(name) && OWN_NAME.test(name) && !NOT_MISSPELT.test(name))
      .map((name) => warningOf('The environment', name)),
  ];
}

/** The checked settings of the server and its commands. */
export type Environment = ReturnType<typeof readEnvironment>;

function readAlpacaKeys(values: Values) {
  const { keyId, secretKey } = readAll(ALPACA_KEYS, values);
  if (keyId !== null && secretKey !== null) return { keyId, secretKey };
  if (keyId === secretKey) return null;
  const [set, missing] =
    keyId === null ? ['ALPACA_SECRET_KEY', 'ALPACA_KEY_ID'] : ['ALPACA_KEY_ID', 'ALPACA_SECRET_KEY'];
  throw new UsageError(`${set} is set without ${missing}. Set both or neither.`);
}

/** The build refuses one of both. */
function readHosted(values: Values) {
  const { supabaseUrl, anonKey } = readAll(HOSTED, values);
  return supabaseUrl === null || anonKey === null ? null : { supabaseUrl, anonKey };
}

/** Reads what is shown to whom. `pagePassword` is null unless the audience is private. */
function readPublishing(values: Values): { publishing: Publishing; pagePassword: string | null } {
  const { pagePassword, ...publishing } = readAll(PUBLISHING, values);
  const isPrivate = publishing.audience === 'private';
  if (isPrivate === (pagePassword === null)) {
    throw new UsageError(
      isPrivate
        ? 'AUDIENCE=private needs PAGE_PASSWORD, which opens the page. Set both.'
        : 'PAGE_PASSWORD works only with AUDIENCE=private. Set both or neither.',
    );
  }
  if (publishing.licences.size > 0 && publishing.audience !== 'public') {
    throw new UsageError('LICENSES works only with AUDIENCE=public. Set both or neither.');
  }
  return { publishing, pagePassword };
}

function readMailSettings(
  values: Values,
  general: ReturnType<typeof readAll<typeof GENERAL>>,
  publishDelay: number,
): MailSettings {
  const mail = readAll(MAIL, values);
  const { host, port, productName, publicUrl, dataFolder } = general;
  if (mail.smtpUrl !== null && publicUrl === null) {
    throw new UsageError(
      'SMTP_URL is set without PUBLIC_URL, the address in the links of every mail. Set both.',
    );
  }
  if (mail.smtpUrl !== null && mail.from === null) {
    throw new UsageError('SMTP_URL is set without MAIL_FROM, the sender of every mail. Set both.');
  }
  return {
    ...mail,
    productName,
    publishDelay,
    // `serve` replaces this default by the address that it listens on.
    publicUrl: publicUrl ?? urlOf(host, port),
    from: { name: mail.from?.name || productName, address: mail.from?.address ?? 'signal@localhost' },
    outboxFolder: join(resolve(dataFolder), 'outbox'),
  };
}

function readReportSettings(values: Values, { bounceAddress: address }: MailSettings) {
  const reports = readAll(REPORTS, values);
  const name = reports.token === null ? REPORTS.folder.name : REPORTS.token.name;
  if (address === null && (reports.token !== null || reports.folder !== null)) {
    throw new UsageError(
      `${name} is set without MAIL_BOUNCE_ADDRESS, which proves that a report is genuine; set both.`,
    );
  }
  return reports;
}

function readAlertSettings(values: Values): WebhookSettings {
  const alerts = readAll(ALERTS, values);
  if (alerts.signingKey === null && alerts.webhooks.some(({ kind }) => kind === 'generic')) {
    throw new UsageError(
      'ALERT_WEBHOOKS has a generic webhook without ALERT_SECRET, which signs its messages; set both.',
    );
  }
  if (!alerts.allowsPrivate && alerts.webhooks.some(({ url }) => url.startsWith('http:'))) {
    throw new UsageError(
      'ALERT_WEBHOOKS has an http:// address, which is for a private network only; use https://, or set ALERT_ALLOW_PRIVATE=true.',
    );
  }
  return alerts;
}

function readAnchorSettings(values: Values): AnchorSettings {
  const { git, url, trusted, witness } = readAll(LEDGER, values);
  if (url === null && trusted === null) return { git, timestamp: null, witness };
  if (url !== null && trusted !== null) return { git, timestamp: { url, trusted }, witness };
  throw new UsageError(
    'LEDGER_TSA is the address of a timestamp authority, LEDGER_TSA_CA the file of its certificates; set both or neither.',
  );
}

/** Reads all settings. Throws `UsageError` that names the first invalid setting. */
export function readEnvironment(values: Values) {
  const general = readAll(GENERAL, values);
  const { publishing, pagePassword } = readPublishing(values);
  const mail = readMailSettings(values, general, publishing.delay);
  return {
    ...general,
    publishing,
    pagePassword,
    marketSource: general.marketSource ?? 'simulated',
    /** True if MARKET_SOURCE is set; false if `marketSource` is the default. */
    isMarketSourceSet: general.marketSource !== null,
    hosted: readHosted(values),
    alpaca: readAlpacaKeys(values),
    /** The addresses of the providers, without a trailing slash. */
    providerUrls: readAll(PROVIDER_URLS, values),
    mail,
    mailReports: readReportSettings(values, mail),
    alerts: readAlertSettings(values),
    anchors: readAnchorSettings(values),
  };
}
