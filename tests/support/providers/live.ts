import type { Source } from '#collector/history/source.ts';
import { createAlpaca } from '#collector/providers/alpaca.ts';
import { createCboe } from '#collector/providers/cboe.ts';
import { createFred } from '#collector/providers/fred.ts';
import { createHttpClient } from '#collector/providers/http-client.ts';
import { createOfr } from '#collector/providers/ofr.ts';
import { PROVIDER_NAMES, type Provider, type ProviderName } from '#collector/providers/provider.ts';
import type { Publishing } from '#collector/providers/rights.ts';
import { createTreasury } from '#collector/providers/treasury.ts';
import { createWsj } from '#collector/providers/wsj.ts';
import { createYahoo } from '#collector/providers/yahoo.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import type { Member } from '#domain/market-history.ts';
import { type ProviderStubs, STUB_KEYS } from './stubs.ts';

/** Timeout of the providers in `hanging` (ms). */
const TIMEOUT = 25;

/** The live source over the stubs. Waits take no time. Providers in `mute` return no data. */
export function liveOver(
  { urls }: Pick<ProviderStubs, 'urls'>,
  {
    members,
    now,
    mute,
    publishing,
    hanging,
    altered = (body) => body,
  }: {
    members: readonly Member[];
    now: () => number;
    mute?: readonly ProviderName[] | undefined;
    publishing?: Publishing | undefined;
    /** Providers that never respond and have a short timeout. */
    hanging?: readonly ProviderName[] | undefined;
    /** Changes the body of each response. */
    altered?: ((body: string) => string) | undefined;
  },
): Source {
  const isHanging = (url: Parameters<typeof fetch>[0]) =>
    hanging?.some((name) => String(url).startsWith(urls[name])) === true;
  const providers = {
    alpaca: createAlpaca({ baseUrl: urls.alpaca, ...STUB_KEYS.alpaca }),
    yahoo: createYahoo({ baseUrl: urls.yahoo }),
    cboe: createCboe({ baseUrl: urls.cboe }),
    fred: createFred({ baseUrl: urls.fred, apiKey: STUB_KEYS.fred }),
    treasury: createTreasury({ baseUrl: urls.treasury }),
    ofr: createOfr({ baseUrl: urls.ofr }),
    wsj: createWsj({ baseUrl: urls.wsj }),
  };
  return createLiveSource({
    providers: PROVIDER_NAMES.map((name) =>
      mute?.includes(name) ? muted(providers[name]) : providers[name],
    ),
    ...(publishing === undefined ? {} : { publishing }),
    readMembers: async () => members,
    universe: 'S&P 500',
    openHttp: (signal) =>
      createHttpClient({
        fetch: async (url, init) => {
          const response = await fetch(url, isHanging(url) ? withTimeout(init) : init);
          return new Response(altered(await response.text()), response);
        },
        now,
        monotonicNow: now,
        sleep: async () => undefined,
        random: () => 0.5,
        userAgent: 'Barometer/test',
        signal,
      }),
  });
}

function withTimeout(init: RequestInit = {}): RequestInit {
  return { ...init, signal: AbortSignal.timeout(TIMEOUT) };
}

function muted(provider: Provider): Provider {
  const none = (symbols: readonly string[]) => new Float64Array(symbols.length).fill(Number.NaN);
  return {
    ...provider,
    readBars: async ({ now }) => ({ bars: [], observedAt: now }),
    readSeries: async () => new Map(),
    readMinutes: async ({ symbols }) => ({ last: none(symbols), before: none(symbols) }),
  };
}
