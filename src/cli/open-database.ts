import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { holdsDatabase } from '#database/embedded/data.ts';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { DatabaseUnavailable, isTransient } from '#database/failures.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { type Log, reasonOf } from '#server/log.ts';
import { MIGRATIONS_FOLDER } from './paths.ts';
import { DEFAULT_DATA_FOLDER, type Environment } from './settings/environment.ts';

export const embeddedFolder = ({ dataFolder }: Environment): string => join(dataFolder, 'database');

/** Place for the database of root if no other user can enter the data folder: Postgres does not run as root. */
const ROOTS_PLACE = '/var/lib/barometer';

type Report = (sentence: string) => void;

/** Opens the configured database and applies the migrations. `report` receives events. Throws `DatabaseUnavailable`. */
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

/** Returns a sentence if the data folder has no database; null if it has one, or if the configured database is elsewhere. */
export function missingDatabase(environment: Environment): string | null {
  if (environment.databaseUrl !== null) return null;
  try {
    if (holdsDatabase(embeddedFolder(environment))) return null;
  } catch {
    // Opening the database reports the fault of the folder.
    return null;
  }
  return `There is no database in ${resolve(environment.dataFolder)}. Set BAROMETER_DATA_DIR, or run the command in the project's folder; "serve" and "collect" create a database.`;
}

/** Opens the configured database for `work`. Throws if there is none, as in a wrong folder, unless it may be created. */
export async function withDatabase<T>(
  { environment }: { readonly environment: Environment },
  work: (database: Database) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const missing = mayCreate ? null : missingDatabase(environment);
  if (missing !== null) throw new DatabaseUnavailable('unusable', missing);
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
  readonly signal: AbortSignal;
  readonly onPause?: () => void;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Performs work, and repeats the work while the database is unavailable. */
export type DatabaseRetry = <T>(work: () => Promise<T>) => Promise<T>;

/** Repeats work while the database is unavailable, with growing pauses. Throws other errors, and the signal's reason. */
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
