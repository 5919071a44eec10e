import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { runCommand, startProduct } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { checkArchive, type Header, rowsIn } from '../../src/cli/transfer/archive.ts';
import { exportDatabase, TRANSFERRED_TABLES } from '../../src/cli/transfer/copy-tables.ts';
import { digestOf, filledTables, fillTables, importInto, query, quiet } from './full-database.ts';

/** The tables that are not transferred, with their contents. */
const NOT_TRANSFERRED: Readonly<Record<string, string>> = {
  'mailer.subscription_counts': 'subscriptions of the current hour',
  'operations.data_changes': 'transactions under way',
  'operations.data_version': 'counts the commits of one database',
  'operations.known_gaps': 'found again by the next run',
  'operations.leases': 'jobs under way',
  'operations.servers': 'servers that run now',
};

const temporary = folderForTests();
const at = (name: string) => join(temporary, name);

/** All triggers with their state. */
const triggersOf = (database: Database) =>
  query(
    database,
    `select tgrelid::regclass::text as table, tgname::text as trigger, tgenabled::text as state from pg_trigger
     where not tgisinternal order by 1, 2`,
  );

/** Enough companies for several megabytes of bars. */
const COMPANIES = 18;

/** An embedded database with some years of demonstration data and rows in all other tables. */
async function openFullDatabase(): Promise<Database> {
  const data = at('old');
  await copyDemonstration(data);
  const database = await openEmbedded({
    folder: join(data, 'database'),
    migrationsFolder: MIGRATIONS,
  });
  await query(
    database,
    `delete from collector.bars where symbol_id not in (select id from collector.symbols order by id limit ${COMPANIES})`,
  );
  await fillTables(database);
  return database;
}

describe('transfer between engines', () => {
  let old: Database;
  let header: Header;
  const first = at('first');
  const opened: { close: () => Promise<unknown> }[] = [];
  let server: Postgres | undefined;

  beforeAll(async () => {
    [old, server] = await Promise.all([openFullDatabase(), startPostgres()]);
    // The owner is no superuser, as in a hosted project.
    await server?.run('create role keeper login createrole');
    header = await exportDatabase(old, first, quiet);
  });
  afterAll(async () => {
    await Promise.all([...opened.map(({ close }) => close()), old.close()]);
    await server?.stop();
  });

  const needsPostgres = (context: { skip: (why: string) => void }) => {
    if (server === undefined) context.skip('Postgres is not installed on this machine');
  };

  /** A migrated Postgres database with its address. */
  async function newPostgres(name: string, migrationsFolder = MIGRATIONS) {
    if (server === undefined) throw new Error('not started');
    // This database sorts text in another order than the embedded database.
    await server.run(
      `create database ${name} owner keeper template template0 locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'`,
    );
    const url = new URL(server.url);
    url.username = 'keeper';
    url.pathname = name;
    const database = await openPostgres({ url: url.href, migrationsFolder });
    opened.push(database);
    return { database, url: url.href };
  }

  it('lists every table as transferred or not', async () => {
    const tables = await query<{ name: string }>(
      old,
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('public', 'collector', 'operations', 'mailer', 'archive') order by 1`,
    );
    const known = [...TRANSFERRED_TABLES, ...Object.keys(NOT_TRANSFERRED)].sort();
    expect(tables.map(({ name }) => name)).toEqual(known);
  });

  it('lists every trigger that acts on new rows', async () => {
    const triggers = await query<{ name: string }>(
      old,
      `select distinct tgname::text as name from pg_trigger
       where not tgisinternal and tgtype & 4 > 0 and tgrelid <> 'operations.data_changes'::regclass order by 1`,
    );
    expect(triggers.map(({ name }) => name)).toEqual([
      'changes_announced', // fires during an import, which changes the market, like the next two
      'data_added',
      'deliveries_announced',
      'future_row_refused',
      'order_kept',
      'rows_stand', // refuses rows of a view, which an import does not write
      'subscriber_1_normalised',
      'subscriber_2_admitted', // acts on visitors only
      'subscriber_3_unconfirmed', // acts on visitors only
      'subscriber_4_asked',
    ]);
  });

  it('writes a gzip file of text that only its user can read', () => {
    expect(statSync(first).mode & 0o777).toBe(0o600);
    expect(existsSync(`${first}.partial`)).toBe(false);
    const lines = gunzipSync(readFileSync(first)).toString().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({ format: 2, ...header });
    expect(lines).toContain(`t\tsb_publishable_${'Ab-_'.repeat(8)}`);
    expect(lines).toHaveLength(rowsIn(header) + 2);
  });

  it('gives identical exports after a transfer to Postgres and back [R23]', async (context) => {
    needsPostgres(context);
    const { database } = await newPostgres('new_database');
    const untouched = await triggersOf(database);
    const dataVersion = async () =>
      (await query<{ version: number }>(database, 'select version from operations.data_version'))[0]?.version;
    const version = Number(await dataVersion());
    await importInto(database, first);
    expect(await dataVersion()).toBeGreaterThan(version);
    await exportDatabase(database, at('second'), quiet);
    expect(digestOf(at('second'))).toBe(digestOf(first));

    const { database: back, remove } = await embeddedForTest();
    opened.push({ close: remove });
    await importInto(back, at('second'));
    await exportDatabase(back, at('third'), quiet);
    expect(digestOf(at('third'))).toBe(digestOf(first));

    for (const target of [database, back]) {
      expect(await triggersOf(target)).toEqual(untouched);
      const insert = (email: string) =>
        query<{ id: number }>(
          target,
          `insert into email_subscribers (email) values ('${email}') returning id`,
        );
      const [before] = await query<{ most: number }>(target, 'select max(id) as most from email_subscribers');
      expect(before).toEqual({ most: 303 });
      // Subscriber 303 was not the last: 304 was deleted, and its id is not used again.
      expect(await insert('new@example.com')).toEqual([{ id: 304 }]);
      await expect(insert('<a>@example.com')).rejects.toMatchObject({ code: '23514' });
    }
  });

  it('exports a snapshot in limited pieces while others write', async (context) => {
    needsPostgres(context);
    const { database } = await newPostgres('written');
    await importInto(database, first);
    let written = 0;
    let longest = 0;
    const busy: Database = {
      ...database,
      transaction: (work, options) =>
        database.transaction(
          (transaction) =>
            work({
              ...transaction,
              async *copyOut(sql) {
                written += 1;
                await query(
                  database,
                  `insert into email_subscribers (email) values ('a${written}@example.com')`,
                );
                for await (const piece of transaction.copyOut(sql)) {
                  longest = Math.max(longest, piece.length);
                  yield piece;
                }
              },
            }),
          options,
        ),
    };
    await exportDatabase(busy, at('busy'), quiet);
    expect(digestOf(at('busy'))).toBe(digestOf(first));
    expect(written).toBe(TRANSFERRED_TABLES.length);
    expect(longest).toBeLessThan(1 << 20);
  });

  it('imports everything or nothing if it is killed', async (context) => {
    needsPostgres(context);
    const { database, url } = await newPostgres('killed');
    const settings = { DATABASE_URL: url, BAROMETER_DATA_DIR: at('unused') };
    const other = new pg.Client(url);
    await other.connect();
    opened.push({ close: () => other.end() });
    // Blocks the import after the bars, the largest table.
    await database.transaction((transaction) =>
      transaction.script(`
        create function public.wait() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
        create trigger wait before insert on collector.series for each statement execute function public.wait()`),
    );
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock(1)');
    let child: ChildProcess | undefined;
    const ended = runCommand(['import', first], settings, (begun) => {
      child = begun;
    });
    const isBlocked = () =>
      other.query('select from pg_locks where not granted').then(({ rowCount }) => (rowCount ?? 0) > 0);
    await expect.poll(isBlocked, { interval: 20 }).toBe(true);
    expect(await filledTables(database)).toEqual([]);
    const second = await runCommand(['import', first], settings);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringMatching(/is already running: import on/) });
    child?.kill('SIGKILL');
    expect((await ended).code).toBeNull();
    await other.query('rollback');
    await query(database, 'drop function public.wait cascade');
    expect(await filledTables(database)).toEqual([]);

    // A killed process keeps its lease for 20 seconds.
    await query(database, "update operations.leases set held_until = now() - interval '1 second'");
    const last = await runCommand(['import', first], settings);
    expect(last).toMatchObject({
      code: 0,
      stdout: `Imported ${rowsIn(header).toLocaleString('en-US')} rows of ${header.tables.length} tables.\n`,
    });
    await exportDatabase(database, at('after-kill'), quiet);
    expect(digestOf(at('after-kill'))).toBe(digestOf(first));

    const product = await startProduct(at('unused'), settings);
    onTestFinished(() => product.stop());
    const page = await (await fetch(product.url)).text();
    const key = `sb_publishable_${'Ab-_'.repeat(8)}`;
    expect(page).toContain(key);
    const read = `${product.url}/rest/v1/advanced_indicators?select=vix,created_at&order=created_at.asc&limit=1&apikey=${key}`;
    expect(await (await fetch(read)).json()).toEqual([
      { vix: 0.00001, created_at: '2020-01-02T21:00:00.999999+00:00' },
    ]);
  });

  it('exports the embedded database while a server has it open', async () => {
    const data = at('served');
    await copyDemonstration(data);
    const product = await startProduct(data);
    onTestFinished(() => product.stop());
    const settings = { BAROMETER_DATA_DIR: data };
    const out = at('served-export');
    expect(await runCommand(['export', out], settings)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Exported 1\d\d,\d{3} rows of \d+ tables to .*: protect it as you protect the database\.\n/,
      ),
    });
    const key = /sb_publishable_[\w-]{32}/.exec(await (await fetch(product.url)).text())?.[0] ?? '';
    await checkArchive(out, quiet);
    expect(gunzipSync(readFileSync(out)).toString()).toContain(`\nt\t${key}\n`);

    const refused = await runCommand(['import', out], settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/The database has data already/);
  });

  it('requires an existing file', async () => {
    const settings = { BAROMETER_DATA_DIR: at('not-made') };
    expect(await runCommand(['import', at('missing')], settings)).toMatchObject({
      code: 1,
      stderr: `${at('missing')} cannot be read (ENOENT). Name a file that "export" wrote.\n`,
    });
    expect(existsSync(at('not-made'))).toBe(false);
  });
});
