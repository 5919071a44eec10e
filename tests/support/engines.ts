import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { embeddedForTest, MIGRATIONS } from './embedded.ts';
import { hasPostgres, startPostgres } from './postgres.ts';

/** A database engine for tests that must pass on both. */
export interface Engine {
  name: Database['engine'];
  isThere: () => boolean;
  /** Returns a new migrated database and a function that closes it. */
  start: () => Promise<{ database: Database; stop: () => Promise<void> }>;
}

export const EMBEDDED: Engine = {
  name: 'embedded',
  isThere: () => true,
  start: async () => {
    const { database, remove } = await embeddedForTest();
    return { database, stop: remove };
  },
};

export const POSTGRES: Engine = {
  name: 'postgres',
  isThere: hasPostgres,
  start: async () => {
    const server = await startPostgres();
    const database = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    return {
      database,
      stop: async () => {
        await database.close();
        await server.stop();
      },
    };
  },
};
