import type { ProviderName } from './names.ts';
import { attemptError, type ProviderFailure, statusError, unreadableError } from './provider-error.ts';
import { createRequestPolicy, RETRY_LIMITS, requestedPause } from './request-policy.ts';

/** Counters of the requests to one provider in a run. */
interface Counters {
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
  readonly limits?: Partial<Record<keyof typeof LIMITS, number>>;
}

const LIMITS = {
  ...RETRY_LIMITS,
  /** Timeout of one attempt, body included. */
  attemptMs: 20_000,
  /** Size of a decompressed body: 10,000 bars are 1.2 MB. 32 MB of "{}," would take 1 GB and seconds to parse. */
  bodyBytes: 4 * 2 ** 20,
} as const;

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
  const limits: Record<keyof typeof LIMITS, number> = { ...LIMITS, ...options.limits };
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
