import { RETRY_SOON, Refusal } from './refusal.ts';

export interface AdmissionLimits {
  /** Transactions that run at one time. */
  readonly atOnce: number;
  /** Length of the queue. */
  readonly waiting: number;
  /** Longest time in the queue. */
  readonly waitMs: number;
}

/** Limits of reads and of inserts: together fewer connections than a pool has, so that jobs and health checks need not wait. */
export const ADMISSION = {
  reads: { atOnce: 5, waiting: 256 },
  inserts: { atOnce: 2, waiting: 256 },
} as const;

/** Runs work when there is room for it, in the order of the calls. Throws `Refusal` (503) after `waitMs`, or at once if the queue is full. */
export type Admission = <T>(work: () => Promise<T>) => Promise<T>;

/** The refusal of a request for which the queue has no room, or that has waited too long. */
export function overloaded(): Refusal {
  return new Refusal({
    status: 503,
    code: 'PGRST003',
    message: 'Timed out acquiring connection from connection pool.',
    headers: { 'Retry-After': RETRY_SOON },
  });
}

/** Limits how much work runs and waits at one time. */
export function createAdmission({ atOnce, waiting, waitMs }: AdmissionLimits): Admission {
  // A set keeps the order, and allows the removal of a call that has waited too long.
  const queue = new Set<() => void>();
  let running = 0;

  function enter(): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    if (queue.size >= waiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.delete(admit);
        reject(overloaded());
      }, waitMs);
      const admit = () => {
        clearTimeout(timer);
        queue.delete(admit);
        resolve();
      };
      queue.add(admit);
    });
  }

  function leave(): void {
    const [next] = queue;
    if (next === undefined) running -= 1;
    else next();
  }

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
