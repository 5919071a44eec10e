import type { MarketWatch } from '#server/market-watch.ts';

interface FakeMarketWatch extends MarketWatch {
  version: number;
  isWatching: boolean;
  readonly listeners: ReadonlySet<() => void>;
}

/** A watch that a test controls. Its version counts as current while `isWatching`. */
export function fakeMarketWatch(now: () => number): FakeMarketWatch {
  let knownAt = now();
  const listeners = new Set<() => void>();
  return {
    version: 1,
    isWatching: true,
    get knownAt() {
      if (this.isWatching) knownAt = now();
      return knownAt;
    },
    listeners,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
  };
}
