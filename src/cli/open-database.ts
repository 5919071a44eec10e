import { join } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
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
export function openDatabase(environment: Environment, report?: Report): Promise<Database> {
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
  const database = await openDatabase(environment);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
