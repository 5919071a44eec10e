import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbedded, openShared } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { MIGRATIONS_FOLDER, WORKER_URL } from './paths.ts';
import type { Environment } from './settings/environment.ts';

/** The folder of the embedded database, inside the data folder. */
const embeddedFolder = ({ dataFolder }: Environment): string => join(dataFolder, 'database');

/** True if the configured database is embedded and does not exist yet. */
export const isNewDatabase = (environment: Environment): boolean =>
  environment.databaseUrl === null && !existsSync(embeddedFolder(environment));

interface OpenOptions {
  /**
   * True to throw an error if another process has the embedded database open. Otherwise the database is used through
   * that process.
   */
  readonly alone?: boolean;
}

/** Opens the configured database and applies the migrations. Throws `DatabaseUnavailable`. */
export function openDatabase(
  environment: Environment,
  { alone = false }: OpenOptions = {},
): Promise<Database> {
  const migrationsFolder = MIGRATIONS_FOLDER;
  const url = environment.databaseUrl;
  if (url !== null) return openPostgres({ url, migrationsFolder });
  const open = alone ? openEmbedded : openShared;
  return open({ folder: embeddedFolder(environment), workerUrl: WORKER_URL, migrationsFolder });
}

/** Opens the configured database, does `work` and closes it. */
export async function withDatabase<T>(
  { environment }: { readonly environment: Environment },
  work: (database: Database) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const database = await openDatabase(environment, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
