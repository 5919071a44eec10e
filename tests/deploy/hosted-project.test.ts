import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { PAGE_ROWS } from '#queries/table-reads.ts';
import { PUBLISHED_TABLE_NAMES } from '#schema/tables.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import {
  addressFor,
  HOSTED_KEYS,
  pushMigrations,
  startHostedDatabase,
  tokenOf,
} from '#tests/support/hosted-project.ts';
import { hasPostgrest, startPostgrest } from '#tests/support/postgrest.ts';
import { shared } from '#tests/support/shared.ts';
import { statementsOf } from '#tests/support/statements.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const VERSIONS = readdirSync(MIGRATIONS)
  .sort()
  .map((file) => file.slice(0, 14));

describe('settings of the Supabase command line', () => {
  const config = readFileSync(join(ROOT, 'supabase', 'config.toml'), 'utf8');
  const settingOf = (section: string, name: string) => {
    const [, text = ''] = new RegExp(`^\\[${section}\\]\\n((?:(?!\\[).*\\n?)*)`, 'm').exec(config) ?? [];
    return new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1];
  };

  it('exposes only the public schema, with enough rows per response for the page', () => {
    expect(settingOf('api', 'schemas')).toBe('["public"]');
    expect(settingOf('api', 'max_rows')).toBe(String(PAGE_ROWS));
  });

  it.each(['auth', 'storage', 'realtime', 'edge_runtime'])('disables %s', (part) => {
    expect(settingOf(part, 'enabled')).toBe('false');
  });

  it('orders the migrations by name', () => {
    for (const file of readdirSync(MIGRATIONS)) expect(file).toMatch(/^\d{14}_\w+\.sql$/);
    expect(new Set(VERSIONS).size).toBe(VERSIONS.length);
  });

  it('splits each migration at the ends of its statements', () => {
    expect(statementsOf("select 1; -- one; two\nselect ';' ; do $x$ begin; end $x$;\n-- the end\n")).toEqual([
      'select 1',
      "-- one; two\nselect ';'",
      'do $x$ begin; end $x$',
    ]);
  });
});

describe('a hosted project', () => {
  const server = shared(startHostedDatabase);
  const database = shared(() => openPostgres({ url: addressFor(server.url, 'postgres'), max: 2 }));

  it('has an owner who is no superuser and did not create its roles', async () => {
    const owner = await queryOnce(
      database,
      'select rolsuper, rolname::text as name from pg_roles where rolname = current_user',
    );
    expect(owner).toEqual([{ rolsuper: false, name: 'postgres' }]);
  });

  it('has no pending migration for a command after db push', async () => {
    expect(await pushMigrations(server.url)).toEqual(VERSIONS);
    expect(await migrate(database, MIGRATIONS)).toEqual([]);
    expect(await pushMigrations(server.url)).toEqual([]);
  });

  it('has no function that changes a table without a condition, which its data API refuses', async () => {
    const functions = await queryOnce<{ name: string; body: string }>(
      database,
      `
        select proname::text as name, prosrc as body from pg_proc
        join pg_namespace on pg_namespace.oid = pronamespace where nspname in ('collector', 'operations', 'mailer')`,
    );
    const changing = functions.flatMap(({ name, body }) =>
      (body.match(/\b(?<!do )(?<!for )(update|delete from) [^;]+;/g) ?? []).map(
        (words) => [name, words] as const,
      ),
    );
    expect(changing.length).toBeGreaterThan(3);
    expect(changing.filter(([, words]) => !/\swhere\s/.test(words))).toEqual([]);
  });

  it('has objects that only its owner owns and can change', async () => {
    const foreign = await queryOnce(
      database,
      `
        select nspname::text as schema, relname::text as name from pg_class
        join pg_namespace on pg_namespace.oid = relnamespace
        where nspname in ('public', 'collector', 'operations', 'mailer', 'supabase_migrations')
          and pg_get_userbyid(relowner) <> 'postgres'`,
    );
    expect(foreign).toEqual([]);
  });

  describe.runIf(hasPostgrest())('with its data API', () => {
    const api = shared(() =>
      startPostgrest(addressFor(server.url, 'authenticator'), {
        settings: { PGRST_JWT_SECRET: HOSTED_KEYS.jwtSecret },
      }),
    );

    const askAs = (role: string, path: string, init: RequestInit = {}) =>
      fetch(`${api.url}${path}`, {
        ...init,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${tokenOf(role, HOSTED_KEYS.jwtSecret)}`,
        },
      });
    const insert = (row: unknown) => ({ method: 'POST', body: JSON.stringify(row) });

    it.each(PUBLISHED_TABLE_NAMES)('lets every visitor read %s, but no logged-in user', async (table) => {
      expect((await askAs('anon', `/${table}?limit=1`)).status).toBe(200);
      expect((await askAs('authenticated', `/${table}?limit=1`)).status).toBe(403);
    });

    it('lets the public key add subscribers but not read them', async () => {
      const row = { email: 'visitor@example.org', is_active: true };
      expect((await askAs('anon', '/email_subscribers', insert(row))).status).toBe(201);
      expect((await askAs('anon', '/email_subscribers?select=email')).status).toBe(401);
      expect((await askAs('authenticated', '/email_subscribers?select=email')).status).toBe(403);
    });

    it("lets the operator's key write market rows and read subscribers", async () => {
      const row = { market_exposure: 61.5, overall_strength: 58.2 };
      expect((await askAs('service_role', '/market_metrics', insert(row))).status).toBe(201);
      const subscribers = await askAs('service_role', '/email_subscribers?select=email');
      expect(await subscribers.json()).toEqual([{ email: 'visitor@example.org' }]);
    });
  });
});
