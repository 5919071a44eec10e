import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { UsageError } from '../command.ts';
import { given, isPlain, secret, type Values } from './setting-values.ts';

/** What the live source is told about its providers. */
export interface ProviderSettings {
  alpaca: { keyId: string; secretKey: string } | null;
  fredApiKey: string | null;
  /** Whom it may ask, in the order of `PROVIDER_NAMES`. */
  marketProviders: readonly ProviderName[];
  /** A CSV file of the companies to follow; null for the S&P 500 that comes along. */
  marketUniverse: string | null;
  /** Without a trailing slash. */
  providerUrls: Readonly<Record<ProviderName, string>>;
}

const DEFAULT_URLS: Readonly<Record<ProviderName, string>> = {
  alpaca: 'https://data.alpaca.markets',
  yahoo: 'https://query1.finance.yahoo.com',
  cboe: 'https://cdn.cboe.com',
  fred: 'https://api.stlouisfed.org',
  wsj: 'https://www.wsj.com',
};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function alpacaKeys(values: Values): ProviderSettings['alpaca'] {
  const keyId = secret(values, 'ALPACA_KEY_ID');
  const secretKey = secret(values, 'ALPACA_SECRET_KEY');
  if (keyId !== null && secretKey !== null) return { keyId, secretKey };
  if (keyId === null && secretKey === null) return null;
  const [set, missing] =
    keyId === null ? ['ALPACA_SECRET_KEY', 'ALPACA_KEY_ID'] : ['ALPACA_KEY_ID', 'ALPACA_SECRET_KEY'];
  throw new UsageError(`${set} is set without ${missing}; set both or neither.`);
}

function listedProviders(values: Values): readonly ProviderName[] {
  const text = given(values, 'MARKET_PROVIDERS');
  if (text === null) return PROVIDER_NAMES;
  const words = text.split(',').map((word) => word.trim());
  const names: readonly string[] = PROVIDER_NAMES;
  const unknown = words.find((word) => !names.includes(word));
  if (unknown !== undefined) {
    throw new UsageError(
      `MARKET_PROVIDERS names "${unknown}"; it must be a list of ${PROVIDER_NAMES.join(', ')}, separated by commas.`,
    );
  }
  return PROVIDER_NAMES.filter((name) => words.includes(name));
}

/** Keys travel to this address, so it is encrypted unless it is on this machine; its value is never repeated. */
function providerUrl(values: Values, provider: ProviderName): string {
  const name = `${provider.toUpperCase()}_URL`;
  const text = given(values, name);
  if (text === null) return DEFAULT_URLS[provider];
  const url = URL.canParse(text) ? new URL(text) : null;
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url !== null && safe && isPlain(url)) return url.href.replace(/(?<!\/)\/+$/, '');
  throw new UsageError(
    `${name} must be an address that begins with https:// (http:// only on this machine), without a user, a password, "?" and "#".`,
  );
}

/** Throws `UsageError` naming the first setting that is wrong. */
export function readProviderSettings(values: Values): ProviderSettings {
  return {
    alpaca: alpacaKeys(values),
    fredApiKey: secret(values, 'FRED_API_KEY'),
    marketProviders: listedProviders(values),
    marketUniverse: given(values, 'MARKET_UNIVERSE'),
    providerUrls: {
      alpaca: providerUrl(values, 'alpaca'),
      yahoo: providerUrl(values, 'yahoo'),
      cboe: providerUrl(values, 'cboe'),
      fred: providerUrl(values, 'fred'),
      wsj: providerUrl(values, 'wsj'),
    },
  };
}
