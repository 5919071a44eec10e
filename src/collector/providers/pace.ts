import type { ProviderName } from './provider.ts';

/** ms between two requests to a provider: Alpaca allows 200 a minute, FRED 120; the others say no figure. */
export const BETWEEN_REQUESTS = {
  alpaca: 330,
  yahoo: 500,
  cboe: 250,
  fred: 1_000,
  wsj: 1_000,
} as const satisfies Record<ProviderName, number>;

/** Keeps the rate limits, over all callers of a run. */
export interface Pace {
  /** Waits until the provider may be asked; each call is one request. `check` may throw, before and after the wait. */
  turn(provider: ProviderName, check: () => void): Promise<void>;
  /** Nobody asks it for so long (ms). */
  pause(provider: ProviderName, ms: number): void;
  /** How much of its pause is left (ms). */
  pauseOf(provider: ProviderName): number;
}

export function createPace({ now, wait }: { now: () => number; wait: (ms: number) => Promise<void> }): Pace {
  const free = new Map<ProviderName, number>();
  const paused = new Map<ProviderName, number>();
  let seen = Number.NEGATIVE_INFINITY;

  /** Our time, by which a clock that was set back does not make anybody wait for it to catch up. */
  function time(): number {
    const at = now();
    if (at < seen) {
      for (const times of [free, paused]) {
        for (const [provider, until] of times) times.set(provider, until - (seen - at));
      }
    }
    seen = at;
    return at;
  }

  const pauseOf = (provider: ProviderName) => Math.max(0, (paused.get(provider) ?? 0) - time());

  return {
    async turn(provider, check) {
      check();
      const at = time();
      const turn = Math.max(free.get(provider) ?? 0, paused.get(provider) ?? 0, at);
      free.set(provider, turn + BETWEEN_REQUESTS[provider]);
      await wait(turn - at);
      check();
    },
    pause(provider, ms) {
      const until = time() + ms;
      if (ms > 0 && until > (paused.get(provider) ?? 0)) paused.set(provider, until);
    },
    pauseOf,
  };
}
