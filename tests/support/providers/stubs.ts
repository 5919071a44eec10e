import type { IncomingMessage, ServerResponse } from 'node:http';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import type { Member } from '#domain/market-history.ts';
import { listenOnLoopback } from '../loopback.ts';
import { alpacaStub } from './alpaca.ts';
import { cboeStub } from './cboe.ts';
import { type Fault, type FaultOptions, isTransportFault, type StandingFault } from './faults.ts';
import { fredStub } from './fred.ts';
import { createStubMarket } from './market.ts';
import type { ProviderStub, StubAnswer } from './stub.ts';
import { answerBadly } from './transport.ts';
import { ofrStub, treasuryStub } from './treasury.ts';
import { wsjStub } from './wsj.ts';
import { yahooStub } from './yahoo.ts';

export { STUB_KEYS } from './stub.ts';

const TEN_MINUTES = 600_000;
const FIVE_DAYS = 5 * 86_400_000;
const FUNDS = ['IEF', 'TLT', 'SPY', 'QQQ', 'DIA'];

/** A received request. */
export interface Asked {
  provider: ProviderName;
  /** Path and query, including keys. */
  url: string;
  userAgent: string;
  status: number;
}

export interface ProviderStubs {
  urls: Readonly<Record<ProviderName, string>>;
  /** Applies this fault to requests of a provider from now on; null ends it. */
  fault(provider: ProviderName, fault: Fault | null, options?: FaultOptions): void;
  /** Number of requests to each provider. */
  requests(): Record<ProviderName, number>;
  /** The received requests, in order. */
  asked(): readonly Asked[];
  /** Clears requests and faults. */
  reset(): void;
  close(): Promise<void>;
}

/**
 * One loopback server per provider. Each responds in its provider's recorded format from one market that
 * depends only on `members`. `now` is the clock of the servers; `first` is the first day of their history.
 */
export async function startProviderStubs({
  members,
  now = Date.now,
  first = '2014-01-02',
}: {
  members: readonly Member[];
  now?: () => number;
  first?: string;
}): Promise<ProviderStubs> {
  const listed = new Set([...members.map(({ symbol }) => symbol), ...FUNDS]);
  const market = createStubMarket(members);
  const world = { market, first, isListed: (symbol: string) => listed.has(symbol) };
  const stubs: Record<ProviderName, ProviderStub> = {
    alpaca: alpacaStub(world),
    yahoo: yahooStub(world),
    cboe: cboeStub(world),
    fred: fredStub(world),
    treasury: treasuryStub(world),
    ofr: ofrStub(world),
    wsj: wsjStub(world),
  };
  const standing = new Map<ProviderName, StandingFault & { left: number }>();
  const asked: Asked[] = [];

  function takeFault(provider: ProviderName, url: string): StandingFault | null {
    const fault = standing.get(provider);
    if (fault === undefined || fault.left <= 0 || !url.includes(fault.path ?? '')) return null;
    fault.left -= 1;
    return fault;
  }

  function answer(provider: ProviderName, request: IncomingMessage, response: ServerResponse): void {
    const fault = takeFault(provider, request.url ?? '/');
    const clock =
      now() +
      (fault?.fault === 'clock ahead' ? TEN_MINUTES : fault?.fault === 'clock behind' ? -TEN_MINUTES : 0);
    const given = stubs[provider]({
      url: new URL(request.url ?? '/', 'http://stub'),
      header: (name) => request.headers[name]?.toString(),
      now: fault?.fault === 'stale' ? clock - FIVE_DAYS : clock,
      fault,
    });
    response.sendDate = false;
    response.setHeader('date', new Date(clock).toUTCString());
    if (fault !== null && isTransportFault(fault.fault)) answerBadly(response, fault, given);
    else send(response, given);
    asked.push({
      provider,
      url: request.url ?? '',
      userAgent: request.headers['user-agent'] ?? '',
      status: response.headersSent ? response.statusCode : 0,
    });
  }

  const servers = await Promise.all(
    PROVIDER_NAMES.map(async (provider) => {
      return [
        provider,
        await listenOnLoopback((request, response) => answer(provider, request, response)),
      ] as const;
    }),
  );

  return {
    urls: byProvider((provider) => servers.find(([name]) => name === provider)?.[1].url ?? ''),
    fault(provider, fault, options = {}) {
      if (fault === null) standing.delete(provider);
      else standing.set(provider, { fault, ...options, left: options.times ?? Number.POSITIVE_INFINITY });
    },
    requests: () => byProvider((provider) => asked.filter((one) => one.provider === provider).length),
    asked: () => asked,
    reset() {
      asked.length = 0;
      standing.clear();
    },
    close: async () => {
      await Promise.all(servers.map(([, { close }]) => close()));
    },
  };
}

function byProvider<T>(value: (provider: ProviderName) => T): Record<ProviderName, T> {
  const entries = PROVIDER_NAMES.map((name) => [name, value(name)] as const);
  return Object.fromEntries(entries) as Record<ProviderName, T>;
}

function send(response: ServerResponse, { status, headers = {}, body }: StubAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
