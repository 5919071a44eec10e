import {
  attemptError,
  type Counters,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  isRetryable,
  ProviderError,
  type ProviderFailure,
  type ProviderName,
  statusError,
  unreadableError,
} from './provider.ts';

export interface HttpClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Epoch ms. */
  readonly now: () => number;
  /** Time of a monotonic clock (ms). */
  readonly monotonicNow: () => number;
  /** Ends early when the signal aborts, with or without an error. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly userAgent: string;
  /** The run's deadline. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<Limits>;
}

const LIMITS = {
  attempts: 4,
  /** Longest pause to wait for (ms). After a longer Retry-After the provider fails until the pause is over. */
  pauseMs: 120_000,
  /** Time (ms) that failed calls to one provider may take in a run. The other providers need the rest of the run. */
  failedMs: 240_000,
  /** Timeout of one attempt, body included. */
  attemptMs: 20_000,
  /** Size of a decompressed body: 10,000 bars are 1.2 MB. 32 MB of "{}," would take 1 GB and seconds to parse. */
  bodyBytes: 4 * 2 ** 20,
} as const;
type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

export function requestUrl(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`);
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** Refusals and outages affect a whole folder of paths, such as all symbols below `/v8/finance/chart`. */
function endpointOf({ provider, url }: HttpRequest): string {
  return `${provider} ${url.origin}${url.pathname.slice(0, url.pathname.lastIndexOf('/'))}`;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { fetch, now, monotonicNow, sleep, random, userAgent, signal } = options;
  const limits: Limits = { ...LIMITS, ...options.limits };
  const countersByProvider = new Map<ProviderName, Counters>();
  const lastResponses = new Map<ProviderName, number>();
  const policy = createRequestPolicy(limits, monotonicNow, random);

  async function wait(ms: number): Promise<void> {
    signal.throwIfAborted();
    if (ms > 0)
      await sleep(ms, signal).catch((error) => (signal.aborted ? undefined : Promise.reject(error)));
    signal.throwIfAborted();
  }

  function countersOf(provider: ProviderName): Counters {
    const counters = countersByProvider.get(provider) ?? {
      ...{ provider, requests: 0, retries: 0, bytes: 0 },
      failures: {},
    };
    countersByProvider.set(provider, counters);
    return counters;
  }

  function countFailure(provider: ProviderName, failure: ProviderFailure): void {
    const { failures } = countersOf(provider);
    failures[failure] = (failures[failure] ?? 0) + 1;
  }

  /** One attempt. Throws ProviderError, a TimeoutError, or the error of fetch. */
  async function attempt(request: HttpRequest): Promise<HttpResponse> {
    const { provider, url, headers, accepts = () => false } = request;
    const counters = countersOf(provider);
    counters.requests += 1;
    // Not AbortSignal.timeout: in Node 20 a signal that AbortSignal.any derives from it can be garbage collected before it fires.
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new DOMException('', 'TimeoutError')), limits.attemptMs);
    try {
      const response = await fetch(url, {
        headers: { accept: '*/*', 'user-agent': userAgent, ...headers },
        // A redirect would receive the keys in our headers.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      const { status, ok } = response;
      const text = await readText(response, limits.bodyBytes, (bytes) => {
        counters.bytes += bytes;
      });
      if (text === null) throw unreadableError(provider, 'too long', status);
      if (ok && isWebPage(response, text)) throw unreadableError(provider, 'web page', status);
      if (ok || accepts({ status, text })) return { status, text };
      policy.pause(provider, requestedPause(response, now()));
      throw statusError(provider, status);
    } finally {
      clearTimeout(timer);
    }
  }

  async function get(request: HttpRequest): Promise<HttpResponse> {
    const { provider } = request;
    const endpoint = endpointOf(request);
    let started = 0;
    for (let attempts = 1; ; attempts += 1) {
      policy.check(provider, endpoint);
      await wait(policy.reserve(provider));
      policy.check(provider, endpoint);
      if (attempts === 1) started = monotonicNow();
      else countersOf(provider).retries += 1;
      try {
        const response = await attempt(request);
        policy.succeeded(endpoint);
        lastResponses.set(provider, now());
        return response;
      } catch (cause) {
        signal.throwIfAborted();
        const error = attemptError(provider, cause);
        countFailure(provider, error.failure);
        const backoff = policy.failed(error, endpoint, attempts, monotonicNow() - started);
        if (backoff === null) throw error;
        await wait(backoff);
      }
    }
  }

  return {
    get,
    async getJson(request) {
      const { text, status } = await get(request);
      try {
        return JSON.parse(text);
      } catch {
        countFailure(request.provider, 'unreadable');
        throw unreadableError(request.provider, 'json', status);
      }
    },
    calls: () => structuredClone([...countersByProvider.values()]),
    lastResponseAt: (provider) => lastResponses.get(provider) ?? null,
  };
}

/** True for HTML where data was requested, as a login page or a block page with status 200. */
function isWebPage({ headers }: Response, text: string): boolean {
  return (headers.get('content-type') ?? '').includes('text/html') || /^\s*</.test(text.slice(0, 100));
}

/** The decompressed body as text; null, without reading on, if it exceeds `limit` bytes. */
async function readText(
  response: Response,
  limit: number,
  onBytes: (bytes: number) => void,
): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    onBytes(chunk.byteLength);
    // Leaving the loop cancels the body.
    if (length > limit) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The own property `name` of a JSON object; undefined if `value` is not an object or has no such property. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

export function listIn(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** Minimum ms between two requests. Alpaca allows 200 a minute, FRED 120; the others publish no limit. */
export const REQUEST_INTERVALS = {
  alpaca: 330,
  yahoo: 500,
  cboe: 250,
  fred: 1_000,
  treasury: 1_000,
  ofr: 1_000,
  wsj: 1_000,
} as const satisfies Record<ProviderName, number>;

/** Failed calls in a row after which an endpoint is disabled. */
const CALLS_TO_DISABLE = 2;

const FIRST_BACKOFF = 1_000;
const FIRST_BACKOFF_RATE_LIMITED = 5_000;
const LONGEST_BACKOFF = 30_000;

/** Decides when to send and retry, and when to stop. `monotonicNow` (ms): a clock that is set back delays nothing. */
export function createRequestPolicy(limits: Limits, monotonicNow: () => number, random: () => number) {
  const nextSlot = new Map<ProviderName, number>();
  const pausedUntil = new Map<ProviderName, number>();
  const failedCalls = new Map<string, number>();
  const disabled = new Map<string, ProviderError>();
  /** Per provider: the time spent on failed calls, and the last error. */
  const lost = new Map<ProviderName, { ms: number; error: ProviderError }>();

  const pauseLeft = (provider: ProviderName) =>
    Math.max(0, (pausedUntil.get(provider) ?? 0) - monotonicNow());

  return {
    /** Throws ProviderError if the endpoint gets no more requests. */
    check(provider: ProviderName, endpoint: string): void {
      const pause = pauseLeft(provider);
      const loss = lost.get(provider);
      const known =
        loss !== undefined && loss.ms + pause > limits.failedMs ? loss.error : disabled.get(endpoint);
      if (known !== undefined) {
        const { failure, message, status } = known;
        throw new ProviderError(provider, failure, message, { cause: known, status });
      }
      if (pause > limits.pauseMs) throw statusError(provider, 429);
    },

    /** Reserves the provider's next free slot. Returns the wait until it starts (ms). */
    reserve(provider: ProviderName): number {
      const now = monotonicNow();
      const start = Math.max(now + pauseLeft(provider), nextSlot.get(provider) ?? 0);
      nextSlot.set(provider, start + REQUEST_INTERVALS[provider]);
      return start - now;
    },

    pause(provider: ProviderName, ms: number): void {
      pausedUntil.set(provider, Math.max(pausedUntil.get(provider) ?? 0, monotonicNow() + ms));
    },

    succeeded(endpoint: string): void {
      failedCalls.delete(endpoint);
    },

    /**
     * Records the nth failed attempt. Returns the wait before a retry (ms), null for none: exponential with full
     * jitter. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
     */
    failed(error: ProviderError, endpoint: string, attempt: number, elapsedMs: number): number | null {
      const { provider, failure, status } = error;
      if (status === 401 || status === 403) disabled.set(endpoint, error);
      if (!isRetryable(failure)) return null;
      const pause = pauseLeft(provider);
      const ms = (lost.get(provider)?.ms ?? 0) + elapsedMs;
      if (attempt < limits.attempts && pause <= limits.pauseMs && ms + pause <= limits.failedMs) {
        const first = failure === 'rate limited' ? FIRST_BACKOFF_RATE_LIMITED : FIRST_BACKOFF;
        return Math.round(random() * Math.min(LONGEST_BACKOFF, first * 2 ** (attempt - 1)));
      }
      lost.set(provider, { ms, error });
      const calls = (failedCalls.get(endpoint) ?? 0) + 1;
      failedCalls.set(endpoint, calls);
      if (calls >= CALLS_TO_DISABLE) disabled.set(endpoint, error);
      return null;
    },
  };
}

/** The pause (ms) that a response requests: Retry-After, from its own Date, or X-RateLimit-Reset; else 0. */
export function requestedPause({ headers, status }: Response, now: number): number {
  const after = headers.get('retry-after')?.trim() ?? '';
  if (isCount(after)) return Number(after) * 1000;
  const reset = status === 429 ? (headers.get('x-ratelimit-reset')?.trim() ?? '') : '';
  const until = isCount(reset) ? Number(reset) * 1000 : Date.parse(after);
  if (Number.isNaN(until)) return 0;
  const date = Date.parse(headers.get('date') ?? '');
  return Math.max(0, until - (Number.isNaN(date) ? now : date));
}

const isCount = (text: string) => /^\d{1,10}$/.test(text);
