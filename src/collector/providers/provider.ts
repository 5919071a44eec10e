import type { SeriesName } from '#domain/market-history.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient } from './http-client.ts';

/** Who market data can come from, in the spelling of settings and records. */
export const PROVIDER_NAMES = ['alpaca', 'yahoo', 'cboe', 'fred', 'wsj'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** As people write them. */
export const PROVIDER_LABELS = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo',
  cboe: 'Cboe',
  fred: 'FRED',
  wsj: 'The Wall Street Journal',
} as const satisfies Record<ProviderName, string>;

/** One thing a run needs: the members' daily bars, or a daily series. */
export type Input = 'bars' | SeriesName;

/** A daily bar of a member; its symbol is spelt as in the universe, prices adjusted for splits and dividends. */
export interface Bar {
  readonly symbol: string;
  readonly session: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Shares. */
  readonly volume: number;
}

/** What every request to a provider knows. Sessions are `YYYY-MM-DD`, both included; instants epoch ms. */
interface Request {
  readonly from: string;
  readonly to: string;
  readonly now: number;
  readonly http: HttpClient;
  /** Values that cannot be right are left out and named here. */
  readonly problems: Problems;
}

export interface BarRequest extends Request {
  /** At most `symbolsARequest` of them. */
  readonly symbols: readonly string[];
}

export interface BarReading {
  /** None of a symbol it does not know, or has nothing of. */
  readonly bars: readonly Bar[];
  /** Up to when the last bars reach (epoch ms): `now`, or earlier where the provider holds figures back. */
  readonly observedAt: number;
}

export interface SeriesRequest extends Request {
  readonly series: readonly SeriesName[];
}

/** Values by series and session. A series or a session without a value is absent. */
export type SeriesReading = ReadonlyMap<SeriesName, ReadonlyMap<string, number>>;

export interface MinuteRequest extends Omit<Request, 'from' | 'to'> {
  readonly symbols: readonly string[];
  /** Up to when (epoch ms). */
  readonly until: number;
}

/** The last one-minute close of each symbol and the one before it, NaN where there is none. */
export interface MinuteReading {
  readonly last: Float64Array;
  readonly before: Float64Array;
}

/**
 * One source of figures. What a method cannot make sense of as a whole throws ProviderError; a single value that
 * cannot be right is refused in `problems`. What it answers is of the sessions asked for, one value each, and is not
 * looked at again.
 */
export interface Provider {
  readonly name: ProviderName;
  /** Of `PROVIDER_LABELS`. */
  readonly label: string;
  /** What it gives at all. */
  readonly gives: readonly Input[];
  /** Which of these it has of a session that is still open. */
  readonly givesOpenSession: readonly Input[];
  readonly symbolsARequest?: number;
  readBars?(request: BarRequest): Promise<BarReading>;
  readSeries?(request: SeriesRequest): Promise<SeriesReading>;
  readMinutes?(request: MinuteRequest): Promise<MinuteReading>;
}
