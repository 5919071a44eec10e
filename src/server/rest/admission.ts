import { RETRY_SOON, Refusal } from './refusal.ts';

export interface AdmissionLimits {
  /** Maximum number of transactions that run at the same time. */
  readonly atOnce: number;
  readonly waiting: number;
  /** Maximum time in the queue (ms). */
  readonly waitMs: number;
}

/** Limits of reads and of inserts. They leave some of the pool's connections to jobs and health checks. */
export const ADMISSION = {
  reads: { atOnce: 5, waiting: 256 },
  inserts: { atOnce: 2, waiting: 256 },
} as const;

/** The refusal of a request that finds the queue full or has waited too long in it. */
export function overloaded(): Refusal {
  return new Refusal(503, 'PGRST003', 'Timed out acquiring connection from connection pool.', {
    headers: { 'Retry-After': RETRY_SOON },
  });
}

/** Runs work when fewer than `atOnce` calls run. `work` receives the rest of `waitMs`. Throws `Refusal` (503). */
export function createAdmission({ atOnce, waiting, waitMs }: AdmissionLimits) {
  // A set keeps the order of the calls, and a call that has waited too long can be removed from it.
  const queue = new Set<() => void>();
  let running = 0;

  /** Resolves with the rest of `waitMs`. */
  function enter(): Promise<number> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve(waitMs);
    }
    if (queue.size >= waiting) return Promise.reject(overloaded());
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.delete(admit);
        reject(overloaded());
      }, waitMs);
      const admit = () => {
        clearTimeout(timer);
        queue.delete(admit);
        resolve(Math.max(0, waitMs - (performance.now() - begun)));
      };
      queue.add(admit);
    });
  }

  function leave(): void {
    const [next] = queue;
    if (next === undefined) running -= 1;
    else next();
  }

  return async <T>(work: (leftMs: number) => Promise<T>): Promise<T> => {
    const leftMs = await enter();
    try {
      return await work(leftMs);
    } finally {
      leave();
    }
  };
}
