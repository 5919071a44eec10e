import type { BlockList } from 'node:net';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import { parseTrustedProxies } from '#server/http/client-address.ts';
import { symbolsFault } from '#web/panels/widgets/symbols.ts';
import { UsageError } from '../command.ts';
import { databaseUrl } from './database-setting.ts';
import { readMailSettings } from './mail-settings.ts';
import { type ProviderSettings, readProviderSettings } from './provider-settings.ts';
import { address, given, isPlain, secret, type Values, wholeNumber } from './setting-values.ts';

export const MARKET_SOURCE_SETTINGS = ['simulated', 'csv', 'live'] as const;
export type MarketSourceSetting = (typeof MARKET_SOURCE_SETTINGS)[number];

/** The settings of the server and its commands, checked. Absent ones are null or their default. */
export interface Environment extends ProviderSettings {
  host: string;
  port: number;
  publicUrl: string | null;
  productName: string;
  dataFolder: string;
  databaseUrl: string | null;
  /** How long a server that is told to end goes on answering; null where nobody said. */
  drainSeconds: number | null;
  marketSource: MarketSourceSetting;
  /** True if MARKET_SOURCE is set; otherwise `marketSource` is the default. */
  isMarketSourceSet: boolean;
  marketCsvFolder: string | null;
  /** As `parseSymbols` reads them. */
  widgetSymbols: string | null;
  /** Who may read /metrics from another machine. */
  metricsToken: string | null;
  /** Who is believed when it says for whom a request is; undefined for nobody. */
  trustedProxies: BlockList | undefined;
  /** Requests a second of one client; 0 for as many as it likes. */
  ratePerSecond: number;
  mail: MailSettings;
}

/** `PUBLIC_URL` without a trailing slash. It stands in the page, so no password may. */
function publicUrl(values: Values): string | null {
  const text = address(values, 'PUBLIC_URL', ['http:', 'https:']);
  if (text === null) return null;
  const url = new URL(text);
  if (!isPlain(url)) {
    throw new UsageError('PUBLIC_URL must be an address without a user, a password, "?" and "#".');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

const LONGEST_NAME = 60;

function productName(values: Values): string {
  const name = given(values, 'PRODUCT_NAME') ?? 'Barometer';
  if (name.length <= LONGEST_NAME) return name;
  throw new UsageError(`PRODUCT_NAME has ${name.length} characters; it may have ${LONGEST_NAME} at most.`);
}

function widgetSymbols(values: Values): string | null {
  const text = given(values, 'WIDGET_SYMBOLS');
  const fault = text === null ? null : symbolsFault('WIDGET_SYMBOLS', text);
  if (fault !== null) throw new UsageError(fault);
  return text;
}

function trustedProxies(values: Values): BlockList | undefined {
  const text = given(values, 'TRUSTED_PROXIES');
  if (text === null) return undefined;
  const list = parseTrustedProxies(text);
  if (list !== null) return list;
  throw new UsageError(
    `TRUSTED_PROXIES is "${text}"; it must be addresses and networks as 10.0.0.0/8, separated by commas.`,
  );
}

/** The word of a market source, from `MARKET_SOURCE` or `--source`; `name` is what a message calls it. */
export function toMarketSource(name: string, text: string): MarketSourceSetting {
  const source = MARKET_SOURCE_SETTINGS.find((word) => word === text);
  if (source !== undefined) return source;
  throw new UsageError(`${name} is "${text}"; it must be one of ${MARKET_SOURCE_SETTINGS.join(', ')}.`);
}

/** Reads every setting once. Throws `UsageError` naming the first that is wrong. */
export function readEnvironment(values: Values): Environment {
  const around = {
    host: given(values, 'HOST') ?? '127.0.0.1',
    port: wholeNumber(values, 'PORT', { least: 0, most: 65_535, otherwise: 4321 }),
    publicUrl: publicUrl(values),
    productName: productName(values),
    dataFolder: given(values, 'BAROMETER_DATA_DIR') ?? '.barometer',
  };
  return {
    ...around,
    databaseUrl: databaseUrl(values),
    drainSeconds: wholeNumber(values, 'DRAIN_SECONDS', { least: 0, most: 60, otherwise: null }),
    marketSource: toMarketSource('MARKET_SOURCE', given(values, 'MARKET_SOURCE') ?? 'simulated'),
    isMarketSourceSet: given(values, 'MARKET_SOURCE') !== null,
    marketCsvFolder: given(values, 'MARKET_CSV_DIR'),
    widgetSymbols: widgetSymbols(values),
    metricsToken: secret(values, 'METRICS_TOKEN'),
    trustedProxies: trustedProxies(values),
    ratePerSecond: wholeNumber(values, 'RATE_PER_SECOND', { least: 0, most: 100_000, otherwise: 100 }),
    mail: readMailSettings(values, around),
    ...readProviderSettings(values),
  };
}
