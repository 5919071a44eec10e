import type { ProviderName } from './names.ts';
import { isRetryable, ProviderError, type ProviderFailure, statusError } from './provider-error.ts';

export interface RetryLimits {
  /** Attempts of one call. */
  readonly attempts: number;
  /** Longest pause to wait for (ms). After a longer Retry-After the provider fails until the pause is over. */
  readonly pauseMs: number;
  /** Time that failed calls to one provider may take in a run (ms). The others need the rest of the run. */
  readonly failedMs: number;
}

/** Failed calls in a row after which an endpoint is disabled. */
const CALLS_TO_DISABLE = 2;

/** Decides about retries, and which endpoints and providers get no more requests in this run. */
export interface RetryPolicy {
  /** Throws ProviderError if the endpoint gets no more requests. */
  check(provider: ProviderName, endpoint: string): void;
  /** Records a successful call. */
  succeeded(endpoint: string): void;
  /** Records the nth failed attempt of a call that has taken `elapsedMs`. Returns true if a retry makes sense. */
  failed(error: ProviderError, endpoint: string, attempt: number, elapsedMs: number): boolean;
}

export function createRetryPolicy(
  limits: RetryLimits,
  pauseLeft: (provider: ProviderName) => number,
): RetryPolicy {
  const failedCalls = new Map<string, number>();
  const disabled = new Map<string, ProviderError>();
  /** Time lost to failed calls, and the last error. */
  const lost = new Map<ProviderName, { ms: number; error: ProviderError }>();

  return {
    check(provider, endpoint) {
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
    succeeded(endpoint) {
      failedCalls.delete(endpoint);
    },
    failed(error, endpoint, attempt, elapsedMs) {
      const { provider } = error;
      if (error.status === 401 || error.status === 403) disabled.set(endpoint, error);
      if (!isRetryable(error.failure)) return false;
      const pause = pauseLeft(provider);
      const ms = (lost.get(provider)?.ms ?? 0) + elapsedMs;
      if (attempt < limits.attempts && pause <= limits.pauseMs && ms + pause <= limits.failedMs) return true;
      lost.set(provider, { ms, error });
      const calls = (failedCalls.get(endpoint) ?? 0) + 1;
      failedCalls.set(endpoint, calls);
      if (calls >= CALLS_TO_DISABLE) disabled.set(endpoint, error);
      return false;
    },
  };
}

const FIRST_BACKOFF = 1_000;
const FIRST_BACKOFF_RATE_LIMITED = 5_000;
const LONGEST_BACKOFF = 30_000;

/**
 * Wait after the nth failed attempt (ms): exponential with full jitter, so that callers do not retry together.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoff(attempt: number, failure: ProviderFailure, random: () => number): number {
  const first = failure === 'rate limited' ? FIRST_BACKOFF_RATE_LIMITED : FIRST_BACKOFF;
  return Math.round(random() * Math.min(LONGEST_BACKOFF, first * 2 ** (attempt - 1)));
}

/**
 * Pause that a response requests (ms): Retry-After as seconds or as a date, or Alpaca's X-RateLimit-Reset (epoch
 * seconds); 0 without either. A date counts from the response's own Date header. `now` is epoch ms.
 */
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
