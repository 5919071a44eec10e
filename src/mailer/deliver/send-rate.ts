/** Limits how many mails start per second. */
export interface SendRate {
  /** Resolves when the next mail may be sent. */
  turn(): Promise<void>;
}

interface Clock {
  /** Milliseconds from any origin. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Spaces mails evenly, at most `perSecond`, over all connections. */
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
