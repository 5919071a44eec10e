import { join, resolve } from 'node:path';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
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

/** Reads a setting. Returns `otherwise` if it is absent or empty. */
const setting =
  <T, Otherwise extends T | null>(parse: Parse<T>, otherwise: Otherwise) =>
  (values: Values, name: string): T | Otherwise => {
    const text = values[name]?.trim() ?? '';
    return text === '' ? otherwise : parse(checkLength(text, name), name);
  };

/** Parses MARKET_SOURCE and `--source`. */
export const toMarketSource = oneOf(['simulated', 'csv', 'live']);

/** Every setting of the server and its commands. `.env.example` describes them. */
const SETTINGS = {
  HOST: setting(checkLength, '127.0.0.1'),
  PORT: setting(wholeNumber(0, 65_535), 4321),
  PUBLIC_URL: setting(publicUrl, null),
  TRUSTED_PROXIES: setting(trustedProxies, null),
  RATE_PER_SECOND: setting(wholeNumber(0, 100_000), 100),
  PRODUCT_NAME: setting(textUpTo(60), 'Barometer'),
  BAROMETER_DATA_DIR: setting(checkLength, '.barometer'),
  DATABASE_URL: setting(databaseUrl, null),
  DRAIN_SECONDS: setting(wholeNumber(0, 60), null),
  WIDGET_SYMBOLS: setting(widgetSymbols, null),
  MARKET_SOURCE: setting(toMarketSource, null),
  MARKET_CSV_DIR: setting(checkLength, null),
  ALPACA_KEY_ID: setting(secret, null),
  ALPACA_SECRET_KEY: setting(secret, null),
  FRED_API_KEY: setting(secret, null),
  MARKET_PROVIDERS: setting(providerList, PROVIDER_NAMES),
  MARKET_UNIVERSE: setting(checkLength, null),
  ALPACA_URL: setting(providerUrl, 'https://data.alpaca.markets'),
  YAHOO_URL: setting(providerUrl, 'https://query1.finance.yahoo.com'),
  CBOE_URL: setting(providerUrl, 'https://cdn.cboe.com'),
  FRED_URL: setting(providerUrl, 'https://api.stlouisfed.org'),
  WSJ_URL: setting(providerUrl, 'https://www.wsj.com'),
  SMTP_URL: setting(smtpUrl, null),
  MAIL_FROM: setting(sender, null),
  MAIL_POSTAL_ADDRESS: setting(postalAddress, null),
  MAIL_PER_SECOND: setting(wholeNumber(1, 1_000), 10),
  SIGNAL_AT: setting(signalTime, { weekday: 6, minutes: 9 * 60 }),
  SUBSCRIBE_CONFIRM: setting(toBoolean, false),
  METRICS_TOKEN: setting(secret, null),
};

/** Settings of the static build. */
const BUILD_SETTINGS = [
  'VITE_SUPABASE_URL',
  'VITE_SUPABASE_ANON_KEY',
  'VITE_ANALYTICS',
  'VITE_SUBSCRIBE_CONFIRM',
  'VITE_WIDGET_SYMBOLS',
];

export const SETTING_NAMES: readonly string[] = [...Object.keys(SETTINGS), ...BUILD_SETTINGS];

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

type Parsed = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]> };

/** The settings of the live source and its providers. */
export interface ProviderSettings {
  alpaca: { keyId: string; secretKey: string } | null;
  fredApiKey: string | null;
  /** The providers that the live source may use, in the order of `PROVIDER_NAMES`. */
  marketProviders: readonly ProviderName[];
  /** A CSV file of the companies to follow; null for the S&P 500. */
  marketUniverse: string | null;
  /** Without a trailing slash. */
  providerUrls: Readonly<Record<ProviderName, string>>;
}

/** The validated settings of the server and its commands. */
export type Environment = ReturnType<typeof readEnvironment>;

function alpacaKeys({ ALPACA_KEY_ID: keyId, ALPACA_SECRET_KEY: secretKey }: Parsed) {
  if (keyId !== null && secretKey !== null) return { keyId, secretKey };
  if (keyId === secretKey) return null;
  const [set, missing] =
    keyId === null ? ['ALPACA_SECRET_KEY', 'ALPACA_KEY_ID'] : ['ALPACA_KEY_ID', 'ALPACA_SECRET_KEY'];
  throw new UsageError(`${set} is set without ${missing}; set both or neither.`);
}

function mailSettings(parsed: Parsed): MailSettings {
  const { PRODUCT_NAME: productName, PUBLIC_URL, SMTP_URL, MAIL_FROM } = parsed;
  if (SMTP_URL !== null && PUBLIC_URL === null) {
    throw new UsageError(
      'SMTP_URL is set without PUBLIC_URL, the address in the links of every mail; set both.',
    );
  }
  if (SMTP_URL !== null && MAIL_FROM === null) {
    throw new UsageError('SMTP_URL is set without MAIL_FROM, the sender of every mail; set both.');
  }
  return {
    productName,
    // `serve` replaces this default by the address that it listens on.
    publicUrl: PUBLIC_URL ?? urlOf(parsed.HOST, parsed.PORT),
    smtpUrl: SMTP_URL,
    from: {
      name: MAIL_FROM?.name || productName,
      address: MAIL_FROM?.address ?? 'signal@localhost',
    },
    postalAddress: parsed.MAIL_POSTAL_ADDRESS,
    perSecond: parsed.MAIL_PER_SECOND,
    outboxFolder: join(resolve(parsed.BAROMETER_DATA_DIR), 'outbox'),
    asksToConfirm: parsed.SUBSCRIBE_CONFIRM,
    signalTime: parsed.SIGNAL_AT,
  };
}

function providerSettings(parsed: Parsed): ProviderSettings {
  return {
    alpaca: alpacaKeys(parsed),
    fredApiKey: parsed.FRED_API_KEY,
    marketProviders: parsed.MARKET_PROVIDERS,
    marketUniverse: parsed.MARKET_UNIVERSE,
    providerUrls: {
      alpaca: parsed.ALPACA_URL,
      yahoo: parsed.YAHOO_URL,
      cboe: parsed.CBOE_URL,
      fred: parsed.FRED_URL,
      wsj: parsed.WSJ_URL,
    },
  };
}

/** Reads all settings. Throws `UsageError` naming the first invalid one. */
export function readEnvironment(values: Values) {
  const parsed = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, read]) => [name, read(values, name)]),
  ) as Parsed;
  return {
    host: parsed.HOST,
    port: parsed.PORT,
    publicUrl: parsed.PUBLIC_URL,
    productName: parsed.PRODUCT_NAME,
    dataFolder: parsed.BAROMETER_DATA_DIR,
    databaseUrl: parsed.DATABASE_URL,
    /** Time that a stopping server still responds (s); null if not set. */
    drainSeconds: parsed.DRAIN_SECONDS,
    marketSource: parsed.MARKET_SOURCE ?? 'simulated',
    /** False if `marketSource` is the default. */
    isMarketSourceSet: parsed.MARKET_SOURCE !== null,
    marketCsvFolder: parsed.MARKET_CSV_DIR,
    widgetSymbols: parsed.WIDGET_SYMBOLS,
    metricsToken: parsed.METRICS_TOKEN,
    trustedProxies: parsed.TRUSTED_PROXIES ?? undefined,
    /** Requests per second of one client; 0: no limit. */
    ratePerSecond: parsed.RATE_PER_SECOND,
    mail: mailSettings(parsed),
    ...providerSettings(parsed),
  };
}
