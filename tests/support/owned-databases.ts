import { type Database, DatabaseError } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { embeddedForTest, MIGRATIONS } from './embedded.ts';
import { addressFor, pushMigrations, startHostedDatabase } from './hosted-project.ts';
import { startPostgres } from './postgres.ts';

/** A migrated database for tests of rules that bind its owner and superusers too. */
export interface OwnedDatabase {
  /** The database, opened by the owner of the tables. */
  readonly database: Database;
  /** The database, opened by a superuser. */
  readonly asSuperuser: Database;
  readonly stop: () => Promise<unknown>;
}

async function opened(
  [owner, superuser]: readonly [owner: string, superuser: string],
  stopServer: () => Promise<unknown>,
  migrationsFolder?: string,
): Promise<OwnedDatabase> {
  const database = await openPostgres({ url: owner, ...(migrationsFolder && { migrationsFolder }) });
  const asSuperuser = await openPostgres({ url: superuser });
  const close = () => Promise.all([database.close(), asSuperuser.close()]);
  return { database, asSuperuser, stop: () => close().then(stopServer) };
}

/** The SQLSTATE that a promise rejects with; 'accepted' if it resolves. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof DatabaseError) return error.code;
      throw error;
    },
  );

/** The databases by name. The owner of the embedded one is a superuser. */
export const OWNED_DATABASES: readonly { name: string; start: () => Promise<OwnedDatabase> }[] = [
  {
    name: 'the embedded database',
    async start() {
      const { database, remove } = await embeddedForTest();
      return { database, asSuperuser: database, stop: remove };
    },
  },
  {
    name: 'Postgres, migrated by an owner who is no superuser',
    async start() {
      const server = await startPostgres();
      await server.run('create role keeper login createrole');
      const url = await server.createDatabase('market', 'keeper');
      return opened([url, url.replace('keeper@', 'postgres@')], server.stop, MIGRATIONS);
    },
  },
  {
    name: 'a hosted project, which grants everything new to everybody',
    async start() {
      const server = await startHostedDatabase();
      await pushMigrations(server.url);
      return opened([addressFor(server.url, 'postgres'), server.url], server.stop);
    },
  },
];
