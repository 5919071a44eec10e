import type { SeriesName } from '#domain/market-history.ts';
import type { Problems } from '../problems.ts';

/** Providers of market data, as spelled in settings and stored records. */
export const PROVIDER_NAMES = ['alpaca', 'yahoo', 'cboe', 'fred', 'treasury', 'ofr', 'wsj'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

export const PROVIDER_LABELS = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo',
  cboe: 'Cboe',
  fred: 'FRED',
  treasury: 'US Treasury',
  ofr: 'OFR',
  wsj: 'The Wall Street Journal',
} as const satisfies Record<ProviderName, string>;

/** The separator before a share class: BRK.B, BRK-B. */
const CLASS_SEPARATOR = { alpaca: '.', yahoo: '-' } as const satisfies Partial<Record<ProviderName, string>>;

/** A provider's spelling of a symbol that the universe writes as BRK.B, BRK-B or BRK/B. */
export function symbolFor(provider: keyof typeof CLASS_SEPARATOR, symbol: string): string {
  return symbol.toUpperCase().replace(/[./-]/g, CLASS_SEPARATOR[provider]);
}

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

/** Counters of the requests to one provider in a run. */
export interface Counters {
  readonly provider: ProviderName;
  /** Attempts, retries included. */
  requests: number;
  retries: number;
  bytes: number;
  /** Failed attempts by kind, including attempts whose retry succeeded. */
  readonly failures: Partial<Record<ProviderFailure, number>>;
}
export type ProviderCalls = Readonly<Counters>;

export interface HttpRequest {
  readonly provider: ProviderName;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for an accepted status besides 2xx. May throw ProviderError for a refusal that the status does not show. */
  readonly accepts?: (response: HttpResponse) => boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

/**
 * The requests of one run, with retries, rate limits and its deadline. An endpoint is disabled for the run after one 401 or
 * 403, or two failed calls in a row. Failed calls to a provider take about four minutes at most.
 */
export interface HttpClient {
  /** Throws ProviderError. */
  get(request: HttpRequest): Promise<HttpResponse>;
  /** Parses the body as JSON; throws ProviderError 'unreadable' if it is not JSON. */
  getJson(request: HttpRequest): Promise<unknown>;
  calls(): ProviderCalls[];
  /** Time of the provider's last successful response (epoch ms); null without one. */
  lastResponseAt(provider: ProviderName): number | null;
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

const RETRYABLE = ['timeout', 'network', 'rate limited', 'server error'] as const;
type RetryableFailure = (typeof RETRYABLE)[number];

export type ProviderFailure = RetryableFailure | 'refused' | 'unreadable' | 'empty' | 'outdated';

/** A provider returned no usable data. The message is one plain sentence without URL, key or query. */
export class ProviderError extends Error {
  readonly provider: ProviderName;
  readonly failure: ProviderFailure;
  /** The HTTP status; null without a response. */
  readonly status: number | null;

  constructor(
    provider: ProviderName,
    failure: ProviderFailure,
    message: string,
    { status = null, ...options }: ErrorOptions & { status?: number | null } = {},
  ) {
    super(message, options);
    this.name = 'ProviderError';
    this.provider = provider;
    this.failure = failure;
    this.status = status;
  }
}

export function isRetryable(failure: ProviderFailure): boolean {
  return (RETRYABLE as readonly ProviderFailure[]).includes(failure);
}

const NEXT_RUN = 'the next run retries';
const BLOCKED = 'if this continues, remove it from MARKET_PROVIDERS: Barometer never bypasses a block';

/** Advice for the error message after a response with status 401 or 403. */
const REFUSED: Readonly<Partial<Record<ProviderName, string>>> = {
  alpaca: 'check ALPACA_KEY_ID and ALPACA_SECRET_KEY',
  fred: 'check FRED_API_KEY',
};

/** An error whose message begins with the provider's name. */
export const providerError = (
  provider: ProviderName,
  failure: ProviderFailure,
  what: string,
  options: ConstructorParameters<typeof ProviderError>[3] = {},
) => new ProviderError(provider, failure, `${PROVIDER_LABELS[provider]} ${what}.`, options);

/** The error for a response status that is not accepted. */
export function statusError(provider: ProviderName, status: number): ProviderError {
  const error = (failure: ProviderFailure, what: string) =>
    providerError(provider, failure, what, { status });
  if (status === 408) return error('timeout', `did not respond in time; ${NEXT_RUN}`);
  if (status === 429) return error('rate limited', `limits the request rate (429); ${NEXT_RUN}`);
  if (status >= 500 && status <= 599) return error('server error', `has an error (${status}); ${NEXT_RUN}`);
  if (status === 401 || status === 403) {
    return error('refused', `refused the request (${status}); ${REFUSED[provider] ?? BLOCKED}`);
  }
  return error(
    'refused',
    `rejected the request (${status}); its API may have changed, see docs/live-data.md`,
  );
}

/** Texts for responses that have an accepted status but no usable data. */
const UNREADABLE = {
  'web page': 'returned a web page instead of data',
  'too long': 'returned more than the allowed amount of data',
  json: 'returned invalid or truncated JSON',
} as const;

/** The error for a response with an accepted status and an unusable body. */
export const unreadableError = (provider: ProviderName, why: keyof typeof UNREADABLE, status: number) =>
  providerError(provider, 'unreadable', `${UNREADABLE[why]}; ${NEXT_RUN}`, { status });

/** The error for JSON without the documented fields. `item` names the part of the response: ' for DGS10'. */
export const unknownFormat = (provider: ProviderName, item = '') =>
  providerError(provider, 'unreadable', `returned an unknown format${item}. See docs/live-data.md`);

export const noDataError = (provider: ProviderName, item: string) =>
  providerError(provider, 'empty', `has no data for ${item}; ${NEXT_RUN}`);

/** Converts anything an attempt threw: a ProviderError stays, a TimeoutError and network errors get a message. */
export function attemptError(provider: ProviderName, cause: unknown): ProviderError {
  if (cause instanceof ProviderError) return cause;
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return providerError(provider, 'timeout', `did not respond in time; ${NEXT_RUN}`, { cause });
  const code = networkCode(cause);
  const what = `could not be reached${code === '' ? '' : ` (${code})`}; check the network connection, ${NEXT_RUN}`;
  return providerError(provider, 'network', what, { cause });
}

/** The code of a failed fetch, such as `ECONNREFUSED`; empty if the error has no code. */
function networkCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : '';
}

/** Reads the parts of a request in turn. A failed one is noted; if all fail, the first error is thrown. */
export async function readParts<T>(
  parts: readonly T[],
  problems: Problems,
  readPart: (part: T) => Promise<void>,
): Promise<void> {
  const failed: ProviderError[] = [];
  for (const part of parts) {
    try {
      await readPart(part);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failed.push(error);
    }
  }
  const [first] = failed;
  if (first !== undefined && failed.length === parts.length) throw first;
  for (const { message } of failed) problems.note('provider', message);
}
