import { join, resolve } from 'node:path';
import { PROVIDER_NAMES } from '#collector/providers/names.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import { urlOf } from '#server/http/listen.ts';
import { UsageError } from '../command.ts';
import {
  databaseUrl,
  oneOf,
  type Parse,
  postalAddress,
  providerList,
  providerUrl,
  publicUrl,
  secret,
  sender,
  signalTime,
  smtpUrl,
  textUpTo,
  toBoolean,
  trustedProxies,
  wholeNumber,
  widgetSymbols,
} from './setting-parsers.ts';

/** Environment variables by name. */
export type Values = Readonly<Record<string, string | undefined>>;

const checkLength = textUpTo(8_192);

/** A setting: its name in the environment, and how to read it. */
interface Setting<T> {
  readonly name: string;
  read(values: Values): T;
}

/** A setting that is `otherwise` if it is absent or empty. */
const setting = <T, Otherwise extends T | null | undefined>(
  name: string,
  parse: Parse<T>,
  otherwise: Otherwise,
): Setting<T | Otherwise> => ({
  name,
  read(values) {
    const text = values[name]?.trim() ?? '';
    return text === '' ? otherwise : parse(checkLength(text, name), name);
  },
});

function readAll<Settings extends Readonly<Record<string, Setting<unknown>>>>(
  settings: Settings,
  values: Values,
) {
  const read = Object.entries(settings).map(([key, { read: readOne }]) => [key, readOne(values)]);
  return Object.fromEntries(read) as { [Key in keyof Settings]: ReturnType<Settings[Key]['read']> };
}

/** Parses MARKET_SOURCE and `--source`. */
export const toMarketSource = oneOf(['simulated', 'csv', 'live']);

// `.env.example` describes all settings.
const GENERAL = {
  host: setting('HOST', checkLength, '127.0.0.1'),
  port: setting('PORT', wholeNumber(0, 65_535), 4321),
  publicUrl: setting('PUBLIC_URL', publicUrl, null),
  trustedProxies: setting('TRUSTED_PROXIES', trustedProxies, undefined),
  /** Requests per second of one client; 0: no limit. */
  ratePerSecond: setting('RATE_PER_SECOND', wholeNumber(0, 100_000), 100),
  productName: setting('PRODUCT_NAME', textUpTo(60), 'Barometer'),
  dataFolder: setting('BAROMETER_DATA_DIR', checkLength, '.barometer'),
  databaseUrl: setting('DATABASE_URL', databaseUrl, null),
  /** Time that a stopping server still responds (s); null if not set. */
  drainSeconds: setting('DRAIN_SECONDS', wholeNumber(0, 60), null),
  widgetSymbols: setting('WIDGET_SYMBOLS', widgetSymbols, null),
  marketSource: setting('MARKET_SOURCE', toMarketSource, null),
  marketCsvFolder: setting('MARKET_CSV_DIR', checkLength, null),
  fredApiKey: setting('FRED_API_KEY', secret, null),
  /** The providers that the live source may use, in the order of `PROVIDER_NAMES`. */
  marketProviders: setting('MARKET_PROVIDERS', providerList, PROVIDER_NAMES),
  /** A CSV file of the companies to follow; null for the S&P 500. */
  marketUniverse: setting('MARKET_UNIVERSE', checkLength, null),
  metricsToken: setting('METRICS_TOKEN', secret, null),
};

const ALPACA_KEYS = {
  keyId: setting('ALPACA_KEY_ID', secret, null),
  secretKey: setting('ALPACA_SECRET_KEY', secret, null),
};

const PROVIDER_URLS = {
  alpaca: setting('ALPACA_URL', providerUrl, 'https://data.alpaca.markets'),
  yahoo: setting('YAHOO_URL', providerUrl, 'https://query1.finance.yahoo.com'),
  cboe: setting('CBOE_URL', providerUrl, 'https://cdn.cboe.com'),
  fred: setting('FRED_URL', providerUrl, 'https://api.stlouisfed.org'),
  wsj: setting('WSJ_URL', providerUrl, 'https://www.wsj.com'),
};

const MAIL = {
  smtpUrl: setting('SMTP_URL', smtpUrl, null),
  from: setting('MAIL_FROM', sender, null),
  postalAddress: setting('MAIL_POSTAL_ADDRESS', postalAddress, null),
  perSecond: setting('MAIL_PER_SECOND', wholeNumber(1, 1_000), 10),
  signalTime: setting('SIGNAL_AT', signalTime, { weekday: 6, minutes: 9 * 60 }),
  asksToConfirm: setting('SUBSCRIBE_CONFIRM', toBoolean, false),
};

/** Settings of the static build. */
const BUILD_SETTINGS = [
  'VITE_SUPABASE_URL',
  'VITE_SUPABASE_ANON_KEY',
  'VITE_ANALYTICS',
  'VITE_SUBSCRIBE_CONFIRM',
  'VITE_WIDGET_SYMBOLS',
];

export const SETTING_NAMES: readonly string[] = [
  ...[GENERAL, ALPACA_KEYS, PROVIDER_URLS, MAIL].flatMap((group) =>
    Object.values(group).map(({ name }) => name),
  ),
  ...BUILD_SETTINGS,
];

/** Names that Node.js, the Postgres client and the system read. */
const OTHER_PROGRAMS = /^(PG[A-Z]+|NODE_[A-Z_]+|TZ|DEBUG)$/;

/** A warning for each name in `.env` that is not a setting. */
export function unknownSettings(names: readonly string[]): string[] {
  return names
    .filter((name) => !SETTING_NAMES.includes(name) && !OTHER_PROGRAMS.test(name))
    .map(
      (name) =>
        `.env sets ${name}, which is not a setting and has no effect; .env.example lists the settings.`,
    );
}

/** The validated settings of the server and its commands. */
export type Environment = ReturnType<typeof readEnvironment>;

function readAlpacaKeys(values: Values) {
  const { keyId, secretKey } = readAll(ALPACA_KEYS, values);
  if (keyId !== null && secretKey !== null) return { keyId, secretKey };
  if (keyId === secretKey) return null;
  const [set, missing] =
    keyId === null ? ['ALPACA_SECRET_KEY', 'ALPACA_KEY_ID'] : ['ALPACA_KEY_ID', 'ALPACA_SECRET_KEY'];
  throw new UsageError(`${set} is set without ${missing}; set both or neither.`);
}

function readMailSettings(
  values: Values,
  general: { host: string; port: number; productName: string; publicUrl: string | null; dataFolder: string },
): MailSettings {
  const mail = readAll(MAIL, values);
  const { host, port, productName, publicUrl, dataFolder } = general;
  if (mail.smtpUrl !== null && publicUrl === null) {
    throw new UsageError(
      'SMTP_URL is set without PUBLIC_URL, the address in the links of every mail; set both.',
    );
  }
  if (mail.smtpUrl !== null && mail.from === null) {
    throw new UsageError('SMTP_URL is set without MAIL_FROM, the sender of every mail; set both.');
  }
  return {
    ...mail,
    productName,
    // `serve` replaces this default by the address that it listens on.
    publicUrl: publicUrl ?? urlOf(host, port),
    from: { name: mail.from?.name || productName, address: mail.from?.address ?? 'signal@localhost' },
    outboxFolder: join(resolve(dataFolder), 'outbox'),
  };
}

/** Reads all settings. Throws `UsageError` naming the first invalid one. */
export function readEnvironment(values: Values) {
  const general = readAll(GENERAL, values);
  return {
    ...general,
    marketSource: general.marketSource ?? 'simulated',
    /** False if `marketSource` is the default. */
    isMarketSourceSet: general.marketSource !== null,
    alpaca: readAlpacaKeys(values),
    /** Without a trailing slash. */
    providerUrls: readAll(PROVIDER_URLS, values),
    mail: readMailSettings(values, general),
  };
}
