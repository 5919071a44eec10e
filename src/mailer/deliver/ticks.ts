/** Lets several wait for the next tick of a timer, or until `signal` is set. */
export interface Ticks {
  tick(): void;
  next(): Promise<void>;
  /** Lets go of the signal, which lives as long as the process. */
  end(): void;
}

export function createTicks(signal: AbortSignal): Ticks {
  let waiting: (() => void)[] = [];
  const tick = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  signal.addEventListener('abort', tick, { once: true });
  return {
    tick,
    next: () =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        else waiting.push(resolve);
      }),
    end: () => signal.removeEventListener('abort', tick),
  };
}
