import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { parseArgs } from 'node:util';
import { readUniverse } from '#collector/csv/market-files.ts';
import type { Source, SourcePublishing } from '#collector/history/source.ts';
import type { KnownGaps } from '#collector/live/run.ts';
import { createAlpaca } from '#collector/providers/alpaca.ts';
import { createCboe } from '#collector/providers/cboe.ts';
import { createFred } from '#collector/providers/fred.ts';
import { createHttpClient, type HttpClientOptions } from '#collector/providers/http-client.ts';
import { createOfr } from '#collector/providers/ofr.ts';
import {
  type HttpClient,
  PROVIDER_NAMES,
  type Provider,
  type ProviderName,
} from '#collector/providers/provider.ts';
import { decideRight, nameOfPublishing, publicRight, sheetOf } from '#collector/providers/rights.ts';
import { createTreasury } from '#collector/providers/treasury.ts';
import { createWsj } from '#collector/providers/wsj.ts';
import { createYahoo } from '#collector/providers/yahoo.ts';
import { createCsvSource } from '#collector/sources/csv-source.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { SERIES } from '#domain/market-history.ts';
import type { NamedSource } from '#server/jobs/servers.ts';
import { readVersion, UNIVERSE_FILE } from './paths.ts';
import { type Environment, toMarketSource } from './settings/environment.ts';
import { UsageError } from './settings/usage-error.ts';

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
    treasury: createTreasury({ baseUrl: providerUrls.treasury }),
    ofr: createOfr({ baseUrl: providerUrls.ofr }),
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

/** Opens the live source. `knownGaps` are those of earlier runs. Throws `UsageError` if no provider has usable bars. */
export function openLiveSource(settings: Environment, knownGaps?: KnownGaps): Source {
  const providers = chooseProviders(settings).flatMap(({ provider, unusedBecause }) =>
    unusedBecause === null ? [provider] : [],
  );
  const withBars = providers.filter(({ inputs }) => inputs.includes('bars'));
  if (withBars.length === 0) {
    throw new UsageError(
      'No provider of the live source has daily bars. Set ALPACA_KEY_ID and ALPACA_SECRET_KEY with alpaca in MARKET_PROVIDERS, or add yahoo to MARKET_PROVIDERS.',
    );
  }
  const { publishing } = settings;
  if (withBars.every(({ name }) => decideRight(publishing, [name], 'bars') === 'none')) {
    throw new UsageError(
      'AUDIENCE=public shows nothing of these providers, because none of them allows a use of its daily bars. Use Alpaca, or state your licences in LICENSES.',
    );
  }
  return createLiveSource({
    providers,
    readMembers: (problems) => readUniverse(universeFile(settings), problems),
    ...(settings.marketUniverse === null ? { universe: 'S&P 500' } : {}),
    ...(knownGaps === undefined ? {} : { knownGaps }),
    openHttp,
    publishing,
  });
}

/** Returns the rights of CSV files. Throws `UsageError` if they do not allow any publication. */
function publishingOfFiles({ publishing }: Environment): SourcePublishing {
  if (publishing.audience === 'public' && publicRight(publishing, 'csv', 'bars').right === 'none') {
    throw new UsageError(
      'AUDIENCE=public shows nothing of CSV files without LICENSES=own, by which you state that you may show their data.',
    );
  }
  return {
    settings: publishing,
    suppliersOf: () => ['csv'],
    sheet: sheetOf(publishing, [{ supplier: 'csv', inputs: ['bars', ...SERIES] }]),
  };
}

export const SOURCE_FLAGS = {
  source: { type: 'string' },
  dir: { type: 'string' },
  'as-of': { type: 'string' },
  replay: { type: 'boolean' },
} as const;
export type SourceFlags = ReturnType<typeof parseArgs<{ options: typeof SOURCE_FLAGS }>>['values'];

export const SOURCE_HELP = `  --source NAME   simulated, csv or live; default: MARKET_SOURCE
  --dir DIR       the folder of the csv source; default: MARKET_CSV_DIR
  --as-of DATE    csv: ignore data after this day, YYYY-MM-DD
  --replay        csv: show the last session of the folder as the newest closed one, marked as a demonstration`;

export function isSourceSet(environment: Environment, flags: SourceFlags): boolean {
  return environment.isMarketSourceSet || Object.keys(flags).length > 0;
}

/** Returns the source of the flags, or else that of the settings. Throws `UsageError` for an unknown name. */
export function namedSource(environment: Environment, flags: SourceFlags): NamedSource {
  const source =
    flags.source === undefined ? environment.marketSource : toMarketSource(flags.source, '--source');
  const folder = flags.dir ?? environment.marketCsvFolder;
  return {
    source: source === 'csv' && flags.replay ? 'replay' : source,
    folder: source === 'csv' && folder !== null ? resolve(folder) : null,
    publishing: nameOfPublishing(environment.publishing),
  };
}

/** Throws an error if a command uses another source, or publishes otherwise, than the server on its database. */
export function checkAgreesWithServer(command: NamedSource, server: NamedSource, flags: SourceFlags): void {
  if (command.publishing !== server.publishing) {
    throw new Error(
      `The server on this database publishes with "${server.publishing}", this command with "${command.publishing}". Give both the same AUDIENCE, LICENSES and PUBLISH_DELAY.`,
    );
  }
  const [given, flag, setting, ours, theirs] =
    command.source !== server.source
      ? [flags.source, '--source', 'MARKET_SOURCE', command.source, server.source]
      : [flags.dir, '--dir', 'MARKET_CSV_DIR', command.folder, server.folder];
  if (ours === theirs) return;
  const name = given === undefined ? setting : flag;
  throw new Error(
    `${name} is ${ours} for this command and ${theirs} for the server on this database. Stop that server first, or start it with the same source.`,
  );
}

export function flagsOf({ source, folder }: NamedSource): SourceFlags {
  if (folder === null) return { source };
  return { source: 'csv', dir: folder, ...(source === 'replay' && { replay: true }) };
}

export const flagParameters = (flags: SourceFlags): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (typeof value === 'string') return [`--${name}`, value];
    return value === true ? [`--${name}`] : [];
  });

/** Opens the source that `namedSource` returns. `openLiveSource` describes `knownGaps`. Throws `UsageError`. */
export function chooseSource(environment: Environment, flags: SourceFlags, knownGaps?: KnownGaps): Source {
  const { source, folder: dir } = namedSource(environment, flags);
  const { 'as-of': asOf, replay = false } = flags;
  if (source !== 'csv' && source !== 'replay') {
    if (replay || asOf !== undefined || flags.dir !== undefined) {
      throw new UsageError('--replay, --as-of and --dir work only with the csv source.');
    }
    if (source === 'live') return openLiveSource(environment, knownGaps);
    const publishing = { settings: environment.publishing, suppliersOf: () => [], sheet: [] };
    return { ...createSimulatedSource(), publishing };
  }
  if (dir === null) throw new UsageError('The csv source needs a folder. Set MARKET_CSV_DIR or pass --dir.');
  if (asOf !== undefined && Number.isNaN(parseDay(asOf))) {
    throw new UsageError(`--as-of is "${asOf}", which is not a day. Write a day as YYYY-MM-DD.`);
  }
  return { ...createCsvSource({ dir, asOf, replay }), publishing: publishingOfFiles(environment) };
}
