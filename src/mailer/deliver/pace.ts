/** Gives each mail its moment. */
export interface Pace {
  /** Resolves when the next mail may be sent. */
  turn(): Promise<void>;
}

interface Clock {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Lets at most so many mails a second go, evenly, whatever number of connections they go over. */
export function createPace(perSecond: number, { now, wait }: Clock = CLOCK): Pace {
  const apart = 1000 / perSecond;
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    async turn() {
      const at = Math.max(now(), nextAt);
      nextAt = at + apart;
      if (at > now()) await wait(at - now());
    },
  };
}
