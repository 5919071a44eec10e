import type { ProviderName } from './names.ts';
import { isRetryable, ProviderError, statusError } from './provider-error.ts';

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

export const RETRY_LIMITS = {
  attempts: 4,
  /** Longest pause to wait for (ms). After a longer Retry-After the provider fails until the pause is over. */
  pauseMs: 120_000,
  /** Time (ms) that failed calls to one provider may take in a run. The other providers need the rest of the run. */
  failedMs: 240_000,
} as const;

/** Failed calls in a row after which an endpoint is disabled. */
const CALLS_TO_DISABLE = 2;

const FIRST_BACKOFF = 1_000;
const FIRST_BACKOFF_RATE_LIMITED = 5_000;
const LONGEST_BACKOFF = 30_000;

/** Decides when to send and retry, and when to stop. `monotonicNow` (ms): a clock that is set back delays nothing. */
export function createRequestPolicy(
  limits: Readonly<Record<keyof typeof RETRY_LIMITS, number>>,
  monotonicNow: () => number,
  random: () => number,
) {
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
