import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { isTransient } from '#database/failures.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { type Log, reasonOf } from '#server/log.ts';
import { MIGRATIONS_FOLDER } from './paths.ts';
import { DEFAULT_DATA_FOLDER, type Environment } from './settings/environment.ts';

/** The folder of the embedded database, inside the data folder. */
export const embeddedFolder = ({ dataFolder }: Environment): string => join(dataFolder, 'database');

/** Place for the database of root in a clone that no other user can enter. */
const ROOTS_PLACE = '/var/lib/barometer';

/** Receives a sentence for the operator. */
type Report = (sentence: string) => void;

/**
 * Opens the configured database and applies the migrations. `report` receives events of the embedded database, such as a
 * restart of its Postgres. Throws `DatabaseUnavailable`.
 */
export function openMigratedDatabase(environment: Environment, report?: Report): Promise<Database> {
  const migrationsFolder = MIGRATIONS_FOLDER;
  const url = environment.databaseUrl;
  if (url !== null) return openPostgres({ url, migrationsFolder });
  const elsewhere = environment.dataFolder === DEFAULT_DATA_FOLDER ? ROOTS_PLACE : null;
  return openEmbedded({
    folder: embeddedFolder(environment),
    migrationsFolder,
    elsewhere,
    ...(report && { report }),
  });
}

/** Opens the configured database, does `work` and closes it. */
export async function withDatabase<T>(
  { environment }: { readonly environment: Environment },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openMigratedDatabase(environment);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

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
