import { join } from 'node:path';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import type { Environment } from './environment.ts';
import { MIGRATIONS_FOLDER, WORKER_URL } from './paths.ts';

/** Where the embedded database of a data folder is. */
export function embeddedFolder({ dataFolder }: Environment): string {
  return join(dataFolder, 'database');
}

/** Opens the configured database, brought up to the migrations. Throws `DatabaseUnavailable`. */
export function openDatabase(environment: Environment): Promise<Database> {
  const migrationsFolder = MIGRATIONS_FOLDER;
  return environment.databaseUrl === null
    ? openEmbedded({ folder: embeddedFolder(environment), workerUrl: WORKER_URL, migrationsFolder })
    : openPostgres({ url: environment.databaseUrl, migrationsFolder });
}
