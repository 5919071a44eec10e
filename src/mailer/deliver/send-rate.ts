/** Limits how many mails start per second. */
export interface SendRate {
  /** Resolves when the next mail may start. */
  turn(): Promise<void>;
}

interface Clock {
  /** Milliseconds since any fixed time. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Creates a rate that starts mails at equal intervals, at most `perSecond`, over all connections together. */
export function createSendRate(perSecond: number, { now, wait }: Clock = CLOCK): SendRate {
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
