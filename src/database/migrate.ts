import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Transaction } from './port.ts';
import { DatabaseUnavailable } from './unavailable.ts';

interface Migration {
  version: string;
  name: string;
  file: string;
}

/** Statement timeout (ms): a migration may rewrite a large table while another process waits for it. */
const TIMEOUT = 3_600_000;

/** An arbitrary number. The lock makes processes migrate one after another. */
const ADVISORY_LOCK = 714_202_611;

async function migrationsIn(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return files.map((file) => {
    const [, version, name] = /^(\d{14})_(\w+)\.sql$/.exec(file) ?? [];
    if (!version || !name)
      throw new Error(`The migration ${file} is not named <timestamp>_<name>.sql. Rename it.`);
    return { version, name, file: join(folder, file) };
  });
}

async function appliedVersions(transaction: Transaction): Promise<string[]> {
  await transaction.query('select pg_advisory_xact_lock($1::bigint)', [ADVISORY_LOCK]);
  const [found] = await transaction.query<{ oid: string | null }>(
    "select to_regclass('supabase_migrations.schema_migrations')::text as oid",
  );
  if (!found?.oid) {
    await transaction.script(`
      create schema if not exists supabase_migrations;
      create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
    `);
  }
  const rows = await transaction.query<{ version: string }>(
    'select version from supabase_migrations.schema_migrations',
  );
  return rows.map(({ version }) => version);
}

/** Returns the names of the migrations in a folder that were not applied to the database. */
export async function pendingMigrations(database: Database, folder: string): Promise<string[]> {
  const migrations = await migrationsIn(folder);
  const applied = await database.transaction(
    (transaction) =>
      transaction.query<{ version: string }>('select version from supabase_migrations.schema_migrations'),
    { readOnly: true },
  );
  const versions = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !versions.has(version)).map(({ name }) => name);
}

/**
 * Applies the migrations of a folder that the database lacks, in order, each in its own transaction, and returns their
 * names. Records them in the same table as the Supabase command line, so that both tools can be used. Throws
 * `DatabaseUnavailable` if the database is newer than the files.
 */
export async function migrate(database: Database, folder: string): Promise<string[]> {
  const migrations = await migrationsIn(folder);
  const newest = migrations.at(-1)?.version ?? '';
  const options = { durable: true, statementTimeoutMs: TIMEOUT };
  const before = await database.transaction(appliedVersions, options);
  const newer = before.filter((version) => version > newest).sort();
  if (newer.length > 0) {
    throw new DatabaseUnavailable(
      'newer',
      `The database was made by a newer Barometer (migration ${newer.at(-1)}). Update this Barometer, or use another database.`,
    );
  }
  const applied: string[] = [];
  for (const { version, name, file } of migrations) {
    if (before.includes(version)) continue;
    const sql = await readFile(file, 'utf8');
    const isNew = await database.transaction(async (transaction) => {
      if ((await appliedVersions(transaction)).includes(version)) return false;
      await transaction.script(sql);
      await transaction.query(
        'insert into supabase_migrations.schema_migrations (version, statements, name) values ($1, array[$2], $3)',
        [version, sql, name],
      );
      return true;
    }, options);
    if (isNew) applied.push(name);
  }
  return applied;
}
