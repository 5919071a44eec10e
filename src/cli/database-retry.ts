import { setTimeout as delay } from 'node:timers/promises';
import { isTransient } from '#database/failures.ts';
import { type Log, reasonOf } from '#server/log.ts';

/** Pause before the second attempt (ms). The pause doubles after each further attempt. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

interface RetryOptions {
  readonly log: Log;
  /** Aborts when the process must end. */
  readonly signal: AbortSignal;
  /** Called before each pause. */
  readonly onPause?: () => void;
  /** Resolves after `ms`; rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Performs work, and repeats the work while the database is unavailable. */
export type DatabaseRetry = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that repeats work while the database is unavailable, with growing pauses, and logs each pause. The
 * function throws any other error immediately, and the signal's reason when the signal aborts.
 */
export function createDatabaseRetry({ log, signal, onPause, wait = waitFor }: RetryOptions): DatabaseRetry {
  return async (work) => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        const result = await work();
        if (pause > FIRST_PAUSE) log.info('database available');
        return result;
      } catch (error) {
        if (!isTransient(error)) throw error;
        signal.throwIfAborted();
        onPause?.();
        log.warn('waiting for the database', { reason: reasonOf(error), seconds: pause / 1_000 });
      }
      await wait(pause, signal).catch(() => undefined);
      signal.throwIfAborted();
    }
  };
}

const waitFor = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
