import type { SeriesName } from '#domain/market-history.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient } from './http-client.ts';
import type { ProviderName } from './names.ts';

/** One input of a run: the members' daily bars, or a daily series. */
export type Input = 'bars' | SeriesName;

/** A member's daily bar. The symbol is spelled as in the universe; prices are adjusted for splits and dividends. */
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

/** The fields that all requests have. Sessions are `YYYY-MM-DD`, both inclusive; instants are epoch ms. */
interface Request {
  readonly from: string;
  readonly to: string;
  readonly now: number;
  readonly http: HttpClient;
  readonly problems: Problems;
}

export interface BarRequest extends Request {
  /** The requested symbols, at most `symbolsPerRequest`. */
  readonly symbols: readonly string[];
}

export interface BarReading {
  /** Bars of the requested symbols. Unknown symbols and symbols without data have none. */
  readonly bars: readonly Bar[];
  /** The instant up to which the last bars reach (epoch ms): `now`, or earlier if the provider delays data. */
  readonly observedAt: number;
}

export interface SeriesRequest extends Request {
  readonly series: readonly SeriesName[];
}

/** Values by series and session. Series and sessions without a value are absent. */
export type SeriesReading = ReadonlyMap<SeriesName, ReadonlyMap<string, number>>;

export interface MinuteRequest extends Omit<Request, 'from' | 'to'> {
  readonly symbols: readonly string[];
  /** End of the range (epoch ms). */
  readonly until: number;
}

/** The last one-minute close of each symbol and the close of the minute before it; NaN without one. */
export interface MinuteReading {
  readonly last: Float64Array;
  readonly before: Float64Array;
}

/**
 * A source of market data. Throws ProviderError for an unusable response, and rejects single values into `problems`.
 * Returns only requested sessions, with one value each: callers do not validate again.
 */
export interface Provider {
  readonly name: ProviderName;
  /** From `PROVIDER_LABELS`. */
  readonly label: string;
  readonly inputs: readonly Input[];
  readonly openSessionInputs: readonly Input[];
  readonly symbolsPerRequest?: number;
  readBars?(request: BarRequest): Promise<BarReading>;
  readSeries?(request: SeriesRequest): Promise<SeriesReading>;
  readMinutes?(request: MinuteRequest): Promise<MinuteReading>;
}
