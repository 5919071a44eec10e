import type { MarketWatch } from '#server/market-watch.ts';

interface ToldWatch extends MarketWatch {
  version: number;
  isTold: boolean;
  readonly listeners: ReadonlySet<() => void>;
}

/** A watch that a test sets: it knows its version to be current at every moment at which it is told. */
export function toldWatch(now: () => number): ToldWatch {
  let knownAt = now();
  const listeners = new Set<() => void>();
  return {
    version: 1,
    isTold: true,
    get knownAt() {
      if (this.isTold) knownAt = now();
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
