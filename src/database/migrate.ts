import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseUnavailable } from './failures.ts';
import { type Database, DatabaseError, READ_ONLY, type Transaction } from './port.ts';

/** Statement timeout (ms): a migration may rewrite a large table while another process waits for it. */
const TIMEOUT = 3_600_000;

/** An arbitrary number. The lock makes processes migrate one after another. */
const ADVISORY_LOCK = 714_202_611;

const LACKS_RIGHTS = '42501';

async function migrationsIn(folder: string): Promise<{ version: string; name: string; file: string }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => {
    const [, version, name] = /^(\d{14})_(\w+)\.sql$/.exec(file) ?? [];
    if (!version || !name)
      throw new Error(`The migration ${file} is not named <timestamp>_<name>.sql. Rename it.`);
    return { version, name, file: join(folder, file) };
  });
}

async function appliedVersions(transaction: Transaction): Promise<Set<string>> {
  const sql = 'select version from supabase_migrations.schema_migrations';
  return new Set((await transaction.query<{ version: string }>(sql)).map(({ version }) => version));
}

export async function pendingMigrations(database: Database, folder: string): Promise<string[]> {
  const migrations = await migrationsIn(folder);
  const applied = await database.transaction(appliedVersions, READ_ONLY);
  return migrations.filter(({ version }) => !applied.has(version)).map(({ name }) => name);
}

/**
 * Applies the missing migrations of a folder in one transaction, and returns their names. Records them as the Supabase
 * command line does. Throws `DatabaseUnavailable` if the database is newer, or if its user lacks rights.
 */
export async function migrate(database: Database, folder: string): Promise<string[]> {
  const migrations = await migrationsIn(folder);
  const migrated = database.transaction(
    async (transaction) => {
      await transaction.script(`
        select pg_advisory_xact_lock(${ADVISORY_LOCK});
        do $$ begin
          if to_regclass('supabase_migrations.schema_migrations') is null then
            create schema if not exists supabase_migrations;
            create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
          end if;
        end $$`);
      const applied = await appliedVersions(transaction);
      const newest = migrations.at(-1)?.version ?? '';
      const newer = [...applied].sort().at(-1) ?? '';
      if (newer > newest) {
        throw new DatabaseUnavailable(
          'unusable',
          `The database was made by a newer Barometer (migration ${newer}). Update this Barometer, or use another database.`,
        );
      }
      const pending = migrations.filter(({ version }) => !applied.has(version));
      for (const { version, name, file } of pending) {
        const sql = await readFile(file, 'utf8');
        await transaction.script(sql);
        await transaction.query(
          'insert into supabase_migrations.schema_migrations (version, statements, name) values ($1, array[$2], $3)',
          [version, sql, name],
        );
      }
      return pending.map(({ name }) => name);
    },
    { durable: true, statementTimeoutMs: TIMEOUT },
  );
  return migrated.catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.code !== LACKS_RIGHTS) throw error;
    throw new DatabaseUnavailable(
      'unusable',
      `The user in DATABASE_URL may not apply the migrations (${error.message}). Make it the owner of the database, and a member of anon and service_role.`,
      { cause: error },
    );
  });
}
