import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '#database/unavailable.ts';
import { type Log, reasonOf } from '#server/log.ts';

/** Pause before the next attempt (ms). It doubles up to the longest. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

export interface PatienceOptions {
  readonly log: Log;
  /** Set when the process is to end. */
  readonly signal: AbortSignal;
  /** Resolves after so many ms, rejects once the signal is set. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Retries work while the database is away. */
export type Patience = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Waits for a database that is away, with growing pauses, and logs each. Throws other errors at once, and the signal's
 * reason when it aborts.
 */
export function createPatience({ log, signal, wait = waitFor }: PatienceOptions): Patience {
  return async (work) => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const result = await work();
        if (pause > FIRST_PAUSE) log.info('database is there');
        return result;
      } catch (error) {
        if (!isTransient(error)) throw error;
        signal.throwIfAborted();
        log.warn('database awaited', { reason: reasonOf(error), seconds: pause / 1_000 });
      }
      await wait(pause, signal).catch(() => undefined);
      signal.throwIfAborted();
    }
  };
}

const waitFor = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
