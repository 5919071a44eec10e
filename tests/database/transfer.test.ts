import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { checkArchive, type Header, rowsIn } from '#database/transfer/archive.ts';
import {
  exportDatabase,
  FILLED_TABLES,
  importArchive,
  TRANSFERRED_TABLES,
} from '#database/transfer/transfer.ts';
import { endingAfter } from '#tests/support/collected.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { copyTemplate, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { runCommand, startProduct, temporaryFolder } from '#tests/support/product.ts';
import { fillTables } from './full-database.ts';

/** The tables that are not transferred, with their contents. */
const NOT_TRANSFERRED: Readonly<Record<string, string>> = {
  'mailer.subscription_counts': 'subscriptions of the current hour',
  'operations.data_changes': 'transactions under way',
  'operations.data_version': 'counts the commits of one database',
  'operations.known_gaps': 'found again by the next run',
  'operations.leases': 'jobs under way',
  'operations.servers': 'servers that run now',
};

const quiet = { report: () => undefined };
const mine = { ...quiet, stillMine: async () => undefined };

const temporary = temporaryFolder();
const at = (name: string) => join(temporary.path, name);
afterAll(() => temporary.remove());

const importInto = async (database: Database, path: string, options = {}) =>
  importArchive(database, { path, header: await checkArchive(path, quiet) }, { ...mine, ...options });

const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

const query = <R extends Record<string, unknown>>(database: Database, sql: string) =>
  database.transaction((transaction) => transaction.query<R>(sql));

/** All triggers with their state. */
const triggersOf = (database: Database) =>
  query(
    database,
    `select tgrelid::regclass::text as table, tgname::text as trigger, tgenabled::text as state from pg_trigger
     where not tgisinternal order by 1, 2`,
  );

/** Tables with rows that a new database does not have. */
async function filledTables(database: Database): Promise<string[]> {
  const tables = TRANSFERRED_TABLES.filter((name) => !FILLED_TABLES.includes(name));
  const filled = tables.map((name) => `select distinct '${name}' as name from ${name}`).join(' union all ');
  return (await query<{ name: string }>(database, filled)).map(({ name }) => name);
}

/** Enough companies for more bars than a single `copy` holds. */
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
      'data_added', // fires during an import, which changes the market
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
    expect(lines).toHaveLength(rowsIn(header) + 3);
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
              async copyOut(sql) {
                written += 1;
                await query(
                  database,
                  `insert into email_subscribers (email) values ('a${written}@example.com')`,
                );
                const bytes = await transaction.copyOut(sql);
                longest = Math.max(longest, Buffer.from(bytes).toString().split('\n').length - 1);
                return bytes;
              },
            }),
          options,
        ),
    };
    await exportDatabase(busy, at('busy'), quiet);
    expect(digestOf(at('busy'))).toBe(digestOf(first));
    expect(written).toBeGreaterThan(TRANSFERRED_TABLES.length);
    expect(longest).toBe(20_000);
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
    try {
      const page = await (await fetch(product.url)).text();
      const key = `sb_publishable_${'Ab-_'.repeat(8)}`;
      expect(page).toContain(key);
      const read = `${product.url}/rest/v1/advanced_indicators?select=vix,created_at&order=created_at.asc&limit=1&apikey=${key}`;
      expect(await (await fetch(read)).json()).toEqual([
        { vix: 0.00001, created_at: '2020-01-02T21:00:00.999999+00:00' },
      ]);
    } finally {
      await product.stop();
    }
  });

  it('exports the embedded database while a server has it open', async () => {
    const data = at('served');
    await copyDemonstration(data);
    const product = await startProduct(data);
    try {
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
    } finally {
      await product.stop();
    }
  });

  it('requires the name of a file', async () => {
    for (const command of ['export', 'import']) {
      expect(await runCommand([command])).toMatchObject({
        code: 2,
        stderr: `${command} takes exactly FILE and flags. See "${command} --help".\n`,
      });
    }
    const settings = { BAROMETER_DATA_DIR: at('not-made') };
    expect(await runCommand(['import', at('missing')], settings)).toMatchObject({
      code: 1,
      stderr: `${at('missing')} cannot be read (ENOENT). Name a file that "export" wrote.\n`,
    });
    expect(existsSync(at('not-made'))).toBe(false);
  });
});

describe('an archive', () => {
  let source: Database;
  let header: Header;
  const out = at('small');
  /** A migrated database that each test leaves without data. */
  let empty: Database;
  const removals: (() => Promise<void>)[] = [];

  async function newDatabase(): Promise<Database> {
    const { database, remove } = await embeddedForTest();
    removals.push(remove);
    return database;
  }

  beforeAll(async () => {
    [source, empty] = await Promise.all([newDatabase(), newDatabase()]);
    await fillTables(source);
    header = await exportDatabase(source, out, quiet);
  });
  afterAll(() => Promise.all(removals.map((remove) => remove())));

  /** Writes an archive with changed lines and a matching checksum. */
  function rewrite(name: string, change: (lines: string[]) => string[]): string {
    const lines = change(gunzipSync(readFileSync(out)).toString().split('\n').slice(0, -2));
    const text = lines.map((line) => `${line}\n`).join('');
    const sha256 = createHash('sha256').update(text).digest('hex');
    writeFileSync(at(name), gzipSync(`${text}${JSON.stringify({ sha256 })}\n`));
    return at(name);
  }
  const rewriteHeader = (name: string, change: object) =>
    rewrite(name, ([, ...rows]) => [JSON.stringify({ format: 2, ...header, ...change }), ...rows]);

  it('is imported completely or not at all if the import is stopped', async () => {
    const target = await newDatabase();
    for (const share of [0, 0.5, 1]) {
      const stopping = new AbortController();
      const report = ({ done, total }: { done: number; total: number }) => {
        if (done >= total * share) stopping.abort();
      };
      const stopped = importInto(target, out, { report, signal: stopping.signal });
      if (share < 1)
        await expect(stopped).rejects.toThrow('The command was stopped and changed no data. Run it again.');
      else await stopped;
      expect(await filledTables(target)).toEqual(share < 1 ? [] : await filledTables(source));
    }
    await exportDatabase(target, at('small-again'), quiet);
    expect(digestOf(at('small-again'))).toBe(digestOf(out));
  });

  it('is not imported if the lease is lost or the transaction fails at its end', async () => {
    await expect(importInto(endingAfter(empty, 0), out)).rejects.toThrow('killed');
    const stillMine = () => Promise.reject(new Error('another process took over'));
    await expect(importInto(empty, out, { stillMine })).rejects.toThrow('another process took over');
    expect(await filledTables(empty)).toEqual([]);
    expect(await query(empty, 'select from operations.public_key')).toEqual([]);
  });

  it('is not imported into an embedded database if the command is killed', async () => {
    const data = at('embedded-killed');
    const folder = join(data, 'database');
    await copyTemplate(folder);
    const killed = await runCommand(['import', out], { BAROMETER_DATA_DIR: data }, (child) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('importing')) child.kill('SIGKILL');
      });
    });
    expect(killed).toMatchObject({ code: null, stdout: '' });
    const target = await openEmbedded({ folder });
    removals.push(() => target.close());
    expect(await filledTables(target)).toEqual([]);
    await importInto(target, out);
  });

  it('is not left behind by an interrupted export', async () => {
    const stopping = new AbortController();
    const report = ({ done, total }: { done: number; total: number }) => {
      if (done > total / 2) stopping.abort();
    };
    const options = { report, signal: stopping.signal };
    await expect(exportDatabase(source, at('interrupted'), options)).rejects.toThrow(
      'The command was stopped',
    );
    expect(readdirSync(temporary.path).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  });

  it('is never written over a file, through a link or into a missing folder', async () => {
    const notes = at('notes.txt');
    writeFileSync(notes, 'mine');
    await expect(exportDatabase(source, notes, quiet)).rejects.toThrow(
      `${notes} exists already. Name another file.`,
    );
    symlinkSync(notes, at('linked.partial'));
    await expect(exportDatabase(source, at('linked'), quiet)).rejects.toThrow(
      `${at('linked')}.partial exists, because another export is writing it or was killed. If no other export runs, remove the file and export again.`,
    );
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    await expect(exportDatabase(source, join(notes, 'file'), quiet)).rejects.toThrow(
      `${join(notes, 'file')} cannot be written (ENOTDIR). Name a file in an existing folder that this user can write.`,
    );
    await expect(exportDatabase(source, at('nowhere/file'), quiet)).rejects.toThrow('(ENOENT)');
  });

  const archive = () => readFileSync(out);
  const unpacked = () => gunzipSync(archive()).toString();
  const flip = (part: number) => {
    const bytes = archive();
    const index = Math.floor((bytes.length - 1) * part);
    bytes[index] = (bytes[index] ?? 0) ^ 4;
    return bytes;
  };
  it.each<[string, () => Uint8Array]>([
    ['a flipped bit in its middle', () => flip(0.5)],
    ['a flipped bit at its end', () => flip(1)],
    ['a missing end', () => archive().subarray(0, -200)],
    ['no content', () => Buffer.alloc(0)],
    ['text that is not compressed', () => Buffer.from(unpacked())],
    ['a line without an end', () => gzipSync(Buffer.alloc(70_000_000), { level: 1 })],
    ['another row', () => gzipSync(unpacked().replace('reader-1@', 'reader-01@'))],
    ['another id in the header', () => gzipSync(unpacked().replace('"nextId":304', '"nextId":1'))],
    ['an additional row', () => gzipSync(unpacked().replace('\nt\t', '\nf\tx\nt\t'))],
    ['a missing checksum', () => gzipSync(unpacked().replace(/[^\n]+\n$/, ''))],
    ['lines after the checksum', () => gzipSync(`${unpacked()}\n`)],
    ['a control character as migration', () => gzipSync(unpacked().replace(header.migration, '\\u001b[2J'))],
  ])('is refused before the import with %s', async (name, damage) => {
    const path = at(name.replaceAll(' ', '-'));
    writeFileSync(path, damage());
    await expect(importInto(empty, path)).rejects.toThrow(
      `${path} is damaged or not an export. Export again, or use another copy.`,
    );
  });

  it('is refused if it changes between check and import', async () => {
    const path = at('changing');
    cpSync(out, path);
    const checked = await checkArchive(path, quiet);
    writeFileSync(path, gzipSync(unpacked().replace('reader-1@', 'reader-01@')));
    await expect(importArchive(empty, { path, header: checked }, mine)).rejects.toThrow('is damaged');
    cpSync(rewriteHeader('changed', { migration: '20261120000000' }), path);
    await expect(importArchive(empty, { path, header: checked }, mine)).rejects.toThrow('is damaged');
    expect(await filledTables(empty)).toEqual([]);
  });

  it.each([
    ['a newer', '20990101000000', 'update this one, and import again'],
    ['an older', '20261120000000', 'update that one, and export again'],
  ])('is refused from %s Barometer', async (age, migration, advice) => {
    const path = rewriteHeader(`of ${age}`, { migration });
    await expect(importInto(empty, path)).rejects.toThrow(
      `The export is from ${age} Barometer (migration ${migration}; this one has ${header.migration}): ${advice}.`,
    );
  });

  it('is refused in a newer format, with other tables or with other columns', async () => {
    await expect(importInto(empty, rewriteHeader('format', { format: 3 }))).rejects.toThrow(
      /was written by a newer Barometer\. Update this Barometer/,
    );
    const [settings, ...others] = header.tables;
    const columns = settings?.columns.slice(1);
    for (const [name, tables] of [
      ['renamed', [{ ...settings, name: 'mailer.other' }, ...others]],
      ['columns', [{ ...settings, columns }, ...others]],
    ] as const) {
      await expect(importInto(empty, rewriteHeader(name, { tables }))).rejects.toThrow(
        'The table mailer.settings is different in the export. Both databases must have the same migrations and no other changes.',
      );
    }
  });

  it('changes nothing in a database with other data', async () => {
    const target = await newDatabase();
    await query(target, "insert into email_subscribers (email) values ('own@example.com')");
    await expect(importInto(target, out)).rejects.toThrow(
      'The database has data already (1 row in public.email_subscribers). Import into an empty database.',
    );
    expect(await query(target, 'select email from email_subscribers')).toEqual([
      { email: 'own@example.com' },
    ]);
    expect(await query(target, 'select from operations.public_key')).toEqual([]);
  });

  it('is not imported if the database refuses or drops a row', async () => {
    const path = rewrite('refused', (lines) => lines.map((line) => line.replace(/\bleft\b/, 'lost')));
    await expect(importInto(empty, path)).rejects.toThrow(
      /^The database refused the rows of public\.email_subscribers: .* violates check constraint/,
    );
    const target = await newDatabase();
    await target.transaction((transaction) =>
      transaction.script(`
        create function public.drop_row() returns trigger language plpgsql as $$ begin return null; end $$;
        create trigger drop_row before insert on collector.series for each row execute function public.drop_row()`),
    );
    await expect(importInto(target, out)).rejects.toThrow(
      "The database kept 0 of 15 rows of collector.series. Remove triggers that are not Barometer's and import again.",
    );
    expect(await filledTables(target)).toEqual([]);
    expect(await filledTables(empty)).toEqual([]);
  });
});
