import {
  type Bar,
  type BarRequest,
  type HttpClient,
  type Input,
  type Provider,
  ProviderError,
  type ProviderFailure,
  type ProviderName,
  type SeriesReading,
  type SeriesRequest,
} from '#collector/providers/provider.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { newestOpenedSession, sessionsBetween } from '#domain/calendar/sessions.ts';
import type { Member, SeriesName } from '#domain/market-history.ts';

/** The first session of the fake providers' market. */
const FIRST = '2010-01-04';

export function fakeMembers(count: number): Member[] {
  const sectors = ['Energy', 'Utilities', 'Financials'];
  return Array.from({ length: count }, (_, at) => ({
    symbol: `S${String(at).padStart(2, '0')}`,
    name: `Company ${at}`,
    sector: sectors[at % 3] ?? '',
  }));
}

/** Returns a price that depends on symbol and day alone. */
export function fakeBar(symbol: string, session: string): Bar {
  const close = 100 + ((parseDay(session) * 7 + symbol.charCodeAt(symbol.length - 1) * 13) % 29) / 4;
  return { symbol, session, open: close, high: close + 1, low: close - 1, close, volume: 1000 };
}

const LEVELS: Partial<Record<SeriesName, number>> = {
  sp500_close: 5000,
  nasdaq_composite_close: 16_000,
  dow_jones_close: 40_000,
  nyse_advances: 1500,
  nyse_declines: 1200,
};

export function fakeValue(series: SeriesName, session: string): number {
  return (LEVELS[series] ?? 2) + (parseDay(session) % 10) / 10;
}

/** A provider of the fake market. Its functions change or fail the data. */
export interface FakeProvider extends Provider {
  /** All requests, as `bars S00,S01 2024-01-02..2024-01-05`. */
  readonly requests: string[];
  bars: (bar: Bar) => Bar | null;
  value: (series: SeriesName, session: string, value: number) => number | null;
  /** The failure of a request; null for success. */
  failing: (input: Input, of: string) => ProviderFailure | null;
  observedAt: (now: number) => number;
}

const ALPACA = ['bars', 'treasury_fund_close', 'tick_proxy'] as const;
const YAHOO = [
  'bars',
  'sp500_close',
  'nasdaq_composite_close',
  'dow_jones_close',
  'vix_close',
  'treasury_fund_close',
] as const;
const OF: Readonly<Record<ProviderName, { inputs: readonly Input[]; open: readonly Input[] }>> = {
  alpaca: { inputs: ALPACA, open: ALPACA },
  yahoo: { inputs: YAHOO, open: YAHOO },
  cboe: { inputs: ['vix_close', 'put_call_total', 'put_call_equity'], open: [] },
  fred: {
    inputs: ['high_yield_oas', 'investment_grade_oas', 'treasury_10y_yield', 'sp500_close'],
    open: [],
  },
  treasury: { inputs: [], open: [] },
  ofr: { inputs: [], open: [] },
  wsj: { inputs: ['nyse_advances', 'nyse_declines'], open: [] },
};

/** A provider of the fake market without HTTP. It has only the symbols in `knows`. */
export function fakeProvider(
  name: ProviderName,
  { knows = () => true }: { knows?: (symbol: string) => boolean } = {},
): FakeProvider {
  const requests: string[] = [];
  const sessionsOf = ({ from, to, now }: { from: string; to: string; now: number }) => {
    const newest = newestOpenedSession(now);
    return sessionsBetween(from < FIRST ? FIRST : from, to < newest ? to : newest);
  };
  const fail = (input: Input, of: string) => {
    const failure = fake.failing(input, of);
    if (failure !== null) throw new ProviderError(name, failure, `${fake.label} returned nothing.`);
  };
  const fake: FakeProvider = {
    name,
    label: name.toUpperCase(),
    inputs: OF[name].inputs,
    openSessionInputs: OF[name].open,
    symbolsPerRequest: name === 'yahoo' ? 1 : 4,
    requests,
    bars: (bar) => bar,
    value: (_, __, value) => value,
    failing: () => null,
    observedAt: (now) => now,
    async readBars(request: BarRequest) {
      requests.push(`bars ${request.symbols.join(',')} ${request.from}..${request.to}`);
      fail('bars', request.symbols.join(','));
      const known = request.symbols.filter(knows);
      const bars = known.flatMap((symbol) =>
        sessionsOf(request).flatMap((session) => fake.bars(fakeBar(symbol, session)) ?? []),
      );
      return {
        bars,
        observedAt: fake.observedAt(request.now),
      };
    },
    async readSeries(request: SeriesRequest): Promise<SeriesReading> {
      requests.push(`${request.series.join(',')} ${request.from}..${request.to}`);
      for (const series of request.series) fail(series, request.to);
      const reading = new Map<SeriesName, Map<string, number>>();
      for (const series of request.series) {
        const values = new Map<string, number>();
        for (const session of sessionsOf(request)) {
          const value = fake.value(series, session, fakeValue(series, session));
          if (value !== null) values.set(session, value);
        }
        reading.set(series, values);
      }
      return reading;
    },
    async readMinutes({ symbols, until }) {
      requests.push(`minutes ${symbols.length} ${new Date(until).toISOString()}`);
      fail('tick_proxy', '');
      return {
        last: new Float64Array(symbols.length).fill(2),
        before: new Float64Array(symbols.length).fill(1),
      };
    },
  };
  return fake;
}

/** An HTTP client for fake providers, which never send requests. */
export function fakeHttp(lastResponseAt: HttpClient['lastResponseAt'] = () => null): HttpClient {
  const unused = () => Promise.reject(new Error('A fake provider sends no requests.'));
  return { get: unused, getJson: unused, calls: () => [], lastResponseAt };
}
