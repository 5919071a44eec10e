import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readUniverse } from '#collector/csv/market-files.ts';
import type { KnownGaps } from '#collector/live/run.ts';
import { createAlpaca } from '#collector/providers/alpaca.ts';
import { createCboe } from '#collector/providers/cboe.ts';
import { createFred } from '#collector/providers/fred.ts';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '#collector/providers/http-client.ts';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import type { Provider } from '#collector/providers/provider.ts';
import { createWsj } from '#collector/providers/wsj.ts';
import { createYahoo } from '#collector/providers/yahoo.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import type { Source } from '#collector/sources/source.ts';
import { UsageError } from '../command.ts';
import { UNIVERSE_FILE } from '../paths.ts';
import { readVersion } from '../version.ts';
import type { Environment } from './environment.ts';

/** A provider, and the decision of the settings about its use. */
export interface ProviderChoice {
  provider: Provider;
  /** The reason why the provider is not used; null if it is used. */
  unusedBecause: string | null;
}

/** Returns all providers in the order of `PROVIDER_NAMES`, with the decision about their use. */
export function chooseProviders(settings: Environment): ProviderChoice[] {
  const { alpaca, fredApiKey, marketProviders, providerUrls } = settings;
  const providers: Readonly<Record<ProviderName, Provider>> = {
    alpaca: createAlpaca({ baseUrl: providerUrls.alpaca, ...(alpaca ?? { keyId: '', secretKey: '' }) }),
    yahoo: createYahoo({ baseUrl: providerUrls.yahoo }),
    cboe: createCboe({ baseUrl: providerUrls.cboe }),
    fred: createFred({ baseUrl: providerUrls.fred, apiKey: fredApiKey ?? '' }),
    wsj: createWsj({ baseUrl: providerUrls.wsj }),
  };
  const withoutKey: Readonly<Partial<Record<ProviderName, string>>> = {
    ...(alpaca === null ? { alpaca: 'ALPACA_KEY_ID and ALPACA_SECRET_KEY are not set' } : {}),
    ...(fredApiKey === null ? { fred: 'FRED_API_KEY is not set' } : {}),
  };
  return PROVIDER_NAMES.map((name) => ({
    provider: providers[name],
    unusedBecause: marketProviders.includes(name) ? (withoutKey[name] ?? null) : 'not in MARKET_PROVIDERS',
  }));
}

/** Returns the path of the CSV file of the companies. */
export function universeFile({ marketUniverse }: Environment): string {
  return marketUniverse === null ? UNIVERSE_FILE : resolve(marketUniverse);
}

/** Creates the HTTP client of one run or check. Its requests end when `signal` aborts. */
export function openHttp(signal: AbortSignal, limits?: HttpClientOptions['limits']): HttpClient {
  return createHttpClient({
    fetch,
    now: Date.now,
    monotonicNow: () => performance.now(),
    sleep: (ms, aborted) => sleep(ms, undefined, { signal: aborted }),
    random: Math.random,
    userAgent: `Barometer/${readVersion()}`,
    signal,
    ...(limits === undefined ? {} : { limits }),
  });
}

/**
 * Opens the live source with the configured providers. `knownGaps` are the gaps in their data that earlier runs found.
 * Throws `UsageError` if no provider has bars.
 */
export function openLiveSource(settings: Environment, knownGaps?: KnownGaps): Source {
  const providers = chooseProviders(settings).flatMap(({ provider, unusedBecause }) =>
    unusedBecause === null ? [provider] : [],
  );
  if (!providers.some(({ inputs }) => inputs.includes('bars'))) {
    throw new UsageError(
      'No provider of the live source has daily bars. Set ALPACA_KEY_ID and ALPACA_SECRET_KEY with alpaca in MARKET_PROVIDERS, or add yahoo to MARKET_PROVIDERS.',
    );
  }
  return createLiveSource({
    providers,
    readMembers: (problems) => readUniverse(universeFile(settings), problems),
    ...(settings.marketUniverse === null ? { universe: 'S&P 500' } : {}),
    ...(knownGaps === undefined ? {} : { knownGaps }),
    openHttp,
  });
}
