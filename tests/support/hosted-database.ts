import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgres } from '#database/postgres/open.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { DEMONSTRATION, loadDemonstration } from './demonstration.ts';
import { MIGRATIONS } from './embedded.ts';
import { madeOnce } from './made-once.ts';
import { copyData, type Postgres, startPostgres } from './postgres.ts';
import { statementsOf } from './statements.ts';

const ROLES = join(ROOT, 'tests', 'support', 'hosted-roles.sql');
/** Who made the server; the project's owner only has the name that is the superuser's elsewhere. */
const SUPERUSER = 'supabase_admin';

/** A server's address for another user of it. */
export function addressFor(url: string, user: string): string {
  const address = new URL(url);
  address.username = user;
  return address.href;
}

/** What the Supabase command line keeps its books in, as it makes that before it pushes. */
const HISTORY = `
  set lock_timeout = '4s';
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
`;

/** Projects of today grant nothing new to anybody, by what their makers run when they are made. */
const NO_GRANTS = `
  alter default privileges for role postgres in schema public revoke select, insert, update, delete on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke usage, select on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public revoke execute on functions from anon, authenticated, service_role;
`;

/** Real Postgres as a hosted project has it, with nothing of ours in it. Its `url` is that of its superuser. */
export async function startHostedDatabase({ grantsByDefault = true } = {}): Promise<Postgres> {
  const server = await startPostgres({ superuser: SUPERUSER });
  await server.run(readFileSync(ROLES, 'utf8'));
  if (!grantsByDefault) await server.run(NO_GRANTS);
  return server;
}

/** The extended protocol takes one statement and no more. */
const alone = (text: string) => ({ text, values: [], queryMode: 'extended' as const });

/**
 * Brings a hosted project up to our migrations as `supabase db push` does: those it does not have, each in a transaction,
 * statement by statement, as the project's owner. Answers the versions pushed.
 */
export async function pushMigrations(url: string): Promise<string[]> {
  const client = new pg.Client(addressFor(url, 'postgres'));
  await client.connect();
  try {
    await client.query(HISTORY);
    const { rows } = await client.query('select version from supabase_migrations.schema_migrations');
    const had = new Set(rows.map(({ version }) => version));
    const pushed: string[] = [];
    for (const file of readdirSync(MIGRATIONS).sort()) {
      const [, version = '', name = ''] = /^(\d+)_(.*)\.sql$/.exec(file) ?? [];
      if (had.has(version)) continue;
      const statements = statementsOf(readFileSync(join(MIGRATIONS, file), 'utf8'));
      await client.query('begin');
      for (const statement of statements) await client.query(alone(statement));
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [version, name, statements],
      );
      await client.query('commit');
      pushed.push(version);
    }
    return pushed;
  } finally {
    await client.end();
  }
}

/** The same with our migrations and the demonstration data, owned by `postgres`. */
export async function startHostedDemonstration(): Promise<Postgres> {
  const made = await madeOnce(`hosted-${DEMONSTRATION}`, async (folder) => {
    const server = await startHostedDatabase();
    await pushMigrations(server.url);
    const database = await openPostgres({ url: addressFor(server.url, 'postgres') });
    try {
      await loadDemonstration(database);
    } finally {
      await database.close();
    }
    await server.restart(async () => copyData(server.data, join(folder, 'data')));
    await server.stop();
  });
  return startPostgres({ superuser: SUPERUSER, copyOf: join(made, 'data') });
}
