import { BACK_AFTER, Refusal } from './refusal.ts';

export interface AdmissionLimits {
  /** Statements in flight. */
  readonly atOnce: number;
  /** Those that may wait for their turn. */
  readonly waiting: number;
  readonly waitMs: number;
}

/**
 * How much of the database the outside may take up, reads and inserts apart: together less than the connections of a
 * pool, so that whoever looks for news of it, and the jobs, never wait behind visitors.
 */
export const ADMISSION = {
  reads: { atOnce: 5, waiting: 256, waitMs: 5_000 },
  inserts: { atOnce: 2, waiting: 256, waitMs: 5_000 },
} as const satisfies Record<string, AdmissionLimits>;

/** Runs work when there is room for it, in the order of the calls. Throws `Refusal` (503) after `waitMs`, or at once if the queue is full. */
export type Admission = <T>(work: () => Promise<T>) => Promise<T>;

/** What a visitor is told whose request would be one too many, or has waited for long enough. */
export function overloaded(): Refusal {
  return new Refusal({
    status: 503,
    code: 'PGRST003',
    message: 'Timed out acquiring connection from connection pool.',
    headers: { 'Retry-After': BACK_AFTER },
  });
}

/** Limits how much work runs and waits at one time. */
export function createAdmission({ atOnce, waiting, waitMs }: AdmissionLimits): Admission {
  // A set keeps the order, and lets a call that has waited for too long leave from the middle.
  const queue = new Set<() => void>();
  let inside = 0;

  function enter(): Promise<void> {
    if (inside < atOnce) {
      inside += 1;
      return Promise.resolve();
    }
    if (queue.size >= waiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const impatience = setTimeout(() => {
        queue.delete(admit);
        reject(overloaded());
      }, waitMs);
      const admit = () => {
        clearTimeout(impatience);
        queue.delete(admit);
        resolve();
      };
      queue.add(admit);
    });
  }

  function leave(): void {
    const [next] = queue;
    if (next === undefined) inside -= 1;
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
