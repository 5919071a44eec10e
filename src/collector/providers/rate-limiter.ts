import type { ProviderName } from './names.ts';

/** Minimum ms between two requests. Alpaca allows 200 a minute, FRED 120; the others publish no limit. */
export const REQUEST_INTERVALS = {
  alpaca: 330,
  yahoo: 500,
  cboe: 250,
  fred: 1_000,
  wsj: 1_000,
} as const satisfies Record<ProviderName, number>;

/** Spaces the requests to each provider over all callers of a run. */
export interface RateLimiter {
  /** Reserves the next free slot and returns the wait until it starts (ms). */
  reserve(provider: ProviderName): number;
  /** Sends nothing to the provider for `ms`. */
  pause(provider: ProviderName, ms: number): void;
  /** Remaining pause (ms). */
  pauseLeft(provider: ProviderName): number;
}

/** `monotonicNow` (ms) must never go back, so that a clock that is set back delays nothing. */
export function createRateLimiter(monotonicNow: () => number): RateLimiter {
  const nextSlot = new Map<ProviderName, number>();
  const pausedUntil = new Map<ProviderName, number>();
  return {
    reserve(provider) {
      const now = monotonicNow();
      const start = Math.max(now, nextSlot.get(provider) ?? 0, pausedUntil.get(provider) ?? 0);
      nextSlot.set(provider, start + REQUEST_INTERVALS[provider]);
      return start - now;
    },
    pause(provider, ms) {
      pausedUntil.set(provider, Math.max(pausedUntil.get(provider) ?? 0, monotonicNow() + ms));
    },
    pauseLeft: (provider) => Math.max(0, (pausedUntil.get(provider) ?? 0) - monotonicNow()),
  };
}
