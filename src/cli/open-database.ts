import { join } from 'node:path';
import type { ServerAddress } from '#database/embedded/lock.ts';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import type { Environment } from './environment.ts';
import { MIGRATIONS_FOLDER, WORKER_URL } from './paths.ts';

/** Where the embedded database of a data folder is. */
export function embeddedFolder({ dataFolder }: Environment): string {
  return join(dataFolder, 'database');
}

/**
 * Opens the configured database, brought up to the migrations. Other processes that find an embedded one in use
 * learn `address` from this process. Throws `DatabaseUnavailable`.
 */
export function openDatabase(
  environment: Environment,
  address: () => ServerAddress | null = () => null,
): Promise<Database> {
  const migrationsFolder = MIGRATIONS_FOLDER;
  const folder = embeddedFolder(environment);
  return environment.databaseUrl === null
    ? openEmbedded({ folder, workerUrl: WORKER_URL, migrationsFolder, address })
    : openPostgres({ url: environment.databaseUrl, migrationsFolder });
}
