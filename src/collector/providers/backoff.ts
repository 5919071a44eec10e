import type { ProviderFailure } from './provider-error.ts';

const FIRST = 1_000;
/** Whoever asks too often has to wait longer than whoever met a fault. */
const FIRST_WHEN_TOO_OFTEN = 5_000;
const LONGEST = 30_000;

/**
 * How long to wait after the nth failed attempt (ms): exponential with full jitter, so that many callers do not
 * come back at one time. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoff(attempts: number, failure: ProviderFailure, random: () => number): number {
  const first = failure === 'rate limited' ? FIRST_WHEN_TOO_OFTEN : FIRST;
  return Math.round(random() * Math.min(LONGEST, first * 2 ** (attempts - 1)));
}

/**
 * How long an answer asks to be left alone (ms): its Retry-After in seconds or as a date, or the end of the minute
 * that Alpaca counts in (X-RateLimit-Reset, epoch seconds); 0 when it does not ask.
 */
export function pauseAskedFor({ headers, status }: Response, now: number): number {
  const after = headers.get('retry-after')?.trim() ?? '';
  if (isCount(after)) return Number(after) * 1000;
  const reset = status === 429 ? (headers.get('x-ratelimit-reset')?.trim() ?? '') : '';
  const until = isCount(reset) ? Number(reset) * 1000 : Date.parse(after);
  if (Number.isNaN(until)) return 0;
  // By the provider's own clock where it tells it: ours may be off by minutes.
  const theirs = Date.parse(headers.get('date') ?? '');
  return Math.max(0, until - (Number.isNaN(theirs) ? now : theirs));
}

const isCount = (text: string) => /^\d{1,10}$/.test(text);
