import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import { exportDatabase } from '#database/moving/export.ts';
import { importExport } from '#database/moving/import.ts';
import { type Manifest, manifestText, parseManifest, rowsIn } from '#database/moving/manifest.ts';
import { readExport } from '#database/moving/read-export.ts';
import { MOVED_TABLES } from '#database/moving/tables.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { exportSubscribers } from '#mailer/subscribers/export.ts';
import { endingAfter } from '#tests/support/collected.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { embeddedForTest, embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { fillHouse } from '#tests/support/full-house.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { runCommand, startProduct, temporaryFolder } from '#tests/support/product.ts';

/** Tables that are of one house alone, and why. */
const LEFT_BEHIND: Readonly<Record<string, string>> = {
  'mailer.subscription_counts': 'who subscribed within this hour, forgotten after it',
  'operations.data_changes': 'transactions under way',
  'operations.data_version': 'counts the commits of one database',
  'operations.leases': 'who is at work there',
  'operations.moving': 'how far an import is',
};

const quiet = { report: () => undefined };
const mine = { ...quiet, stillMine: async () => undefined };

const folders = temporaryFolder();
const folder = (name: string) => join(folders.path, name);
afterAll(() => folders.remove());

const moveInto = async (database: Database, from: string) =>
  importExport(database, await readExport(from, quiet), mine);

/** What lies in a folder, byte for byte. */
const filesIn = (path: string) =>
  Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(path, name)))
          .digest('hex'),
      ]),
  );

const manifestOf = (path: string): Manifest =>
  parseManifest(readFileSync(join(path, 'manifest.json'), 'utf8'), path);

const query = <R extends Record<string, unknown>>(database: Database, sql: string) =>
  database.transaction((transaction) => transaction.query<R>(sql));

/** Triggers with whether and when they fire. */
const triggersOf = (database: Database) =>
  query(
    database,
    `select tgrelid::regclass::text as table, tgname::text as trigger, tgenabled::text as state from pg_trigger
     where not tgisinternal order by 1, 2`,
  );

/** Of how many companies: two pieces of bars and a half, for an export as for an import, after which come only more of them. */
const COMPANIES = 45;

/** A demonstration's years and all that gathers beside it, embedded, with the bars of some companies. */
async function openFullHouse(): Promise<Database> {
  const data = folder('old-house');
  await copyDemonstration(data);
  const database = await openEmbedded({
    folder: join(data, 'database'),
    workerUrl: WORKER_URL,
    migrationsFolder: MIGRATIONS,
  });
  await query(
    database,
    `delete from collector.bars where symbol_id not in (select id from collector.symbols order by id limit ${COMPANIES})`,
  );
  await fillHouse(database);
  return database;
}

describe('moving house', () => {
  let old: Database;
  const first = folder('first');
  const opened: { close: () => Promise<unknown> }[] = [];
  let server: Postgres | undefined;

  beforeAll(async () => {
    [old, server] = await Promise.all([
      openFullHouse(),
      hasPostgres() ? startPostgres() : Promise.resolve(undefined),
    ]);
    // The owner is no superuser, as at a hosted project, and text is in another order than in the embedded database.
    await server?.run('create role keeper login createrole');
    await exportDatabase(old, first, quiet);
  });
  afterAll(async () => {
    await Promise.all([...opened.map(({ close }) => close()), old.close()]);
    await server?.stop();
  });

  const isThere = (context: { skip: (why: string) => void }) => {
    if (server === undefined) context.skip('Postgres is not installed on this machine');
  };

  /** A migrated database of Postgres, and its address. */
  async function newPostgres(name: string) {
    if (server === undefined) throw new Error('not started');
    await server.run(
      `create database ${name} owner keeper template template0 locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'`,
    );
    const url = new URL(server.url);
    url.username = 'keeper';
    url.pathname = name;
    const database = await openPostgres({ url: url.href, migrationsFolder: MIGRATIONS });
    opened.push(database);
    return { database, url: url.href };
  }

  async function newEmbedded() {
    const { database, remove } = await embeddedForTest();
    opened.push({ close: remove });
    return database;
  }

  it('knows of every table whether it moves', async () => {
    const tables = await query<{ name: string }>(
      old,
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('public', 'collector', 'operations', 'mailer') order by 1`,
    );
    const known = [...MOVED_TABLES.map(({ name }) => name), ...Object.keys(LEFT_BEHIND)].sort();
    expect(tables.map(({ name }) => name)).toEqual(known);
  });

  it('knows of every trigger that makes something of a new row', async () => {
    const triggers = await query<{ name: string }>(
      old,
      `select distinct tgname::text as name from pg_trigger
       where not tgisinternal and tgtype & 4 > 0 and tgrelid <> 'operations.data_changes'::regclass order by 1`,
    );
    expect(triggers.map(({ name }) => name)).toEqual([
      'data_added', // counts a commit that changed the market, which an import is
      'future_row_refused', // lets an import write what the old database held
      'subscriber_1_normalised',
      'subscriber_2_admitted', // of visitors alone
      'subscriber_3_unconfirmed', // of visitors alone
      'subscriber_4_asked',
    ]);
  });

  it('writes files that nobody else may read', () => {
    expect(statSync(first).mode & 0o777).toBe(0o700);
    expect(readdirSync(first)).toHaveLength(MOVED_TABLES.length + 1);
    for (const name of readdirSync(first)) expect(statSync(join(first, name)).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing out, to Postgres and back: identical exports', async (context) => {
    isThere(context);
    const { database } = await newPostgres('new_house');
    const untouched = await triggersOf(database);
    const gone = folder('gone');
    const remove = () => rmSync(gone, { recursive: true, force: true });
    await expect(exportDatabase(database, gone, { report: remove })).rejects.toThrow(
      `The folder ${gone} cannot be written (ENOENT)`,
    );
    const news: string[] = [];
    const stop = await database.listen('barometer_market', {
      notified: (payload) => news.push(payload),
      lost: () => undefined,
      regained: () => undefined,
    });
    expect(await moveInto(database, first)).toMatchObject({ isNew: true, tables: MOVED_TABLES.length });
    await expect.poll(() => news.length).toBeGreaterThan(0);
    await stop();
    await exportDatabase(database, folder('second'), quiet);
    expect(filesIn(folder('second'))).toEqual(filesIn(first));

    const back = await newEmbedded();
    await moveInto(back, folder('second'));
    await exportDatabase(back, folder('third'), quiet);
    expect(filesIn(folder('third'))).toEqual(filesIn(first));

    for (const house of [database, back]) {
      expect(await triggersOf(house)).toEqual(untouched);
      expect(await query(house, 'select * from operations.moving')).toEqual([]);
      const taken = (email: string) =>
        query<{ id: number }>(
          house,
          `insert into email_subscribers (email) values ('${email}') returning id`,
        );
      const [before] = await query<{ most: number }>(house, 'select max(id) as most from email_subscribers');
      // 302 were added and one later; that the last of the readers went gives no number out again.
      expect(await taken('new@example.com')).toEqual([{ id: 304 }]);
      expect(before).toEqual({ most: 303 });
      await expect(taken('<a>@example.com')).rejects.toMatchObject({ code: '23514' });
    }
  });

  it('goes on after kill -9 at any table, and in the middle of one, while nobody else gets in', async (context) => {
    isThere(context);
    const { database, url } = await newPostgres('killed');
    const settings = { DATABASE_URL: url, BAROMETER_DATA_DIR: folder('nowhere') };
    const other = new pg.Client(url);
    await other.connect();
    opened.push({ close: () => other.end() });

    /** Starts an import, which is killed once it waits for what `hold` takes. */
    async function kill(hold: string): Promise<void> {
      await other.query('begin');
      await other.query(hold);
      let child: ChildProcess | undefined;
      const ended = runCommand(['import', first], settings, (begun) => {
        child = begun;
      });
      const waits = () =>
        other.query('select from pg_locks where not granted').then(({ rowCount }) => (rowCount ?? 0) > 0);
      await expect.poll(waits, { interval: 20 }).toBe(true);
      child?.kill('SIGKILL');
      expect((await ended).code).toBeNull();
      await other.query('rollback');
      // What was killed gives way within a minute.
      await query(database, "update operations.leases set held_until = now() - interval '1 second'");
    }

    await kill('lock table operations.moving in share mode');
    await kill('lock table collector.symbols in share mode');
    // Some of the bars are there, and the next of them wait.
    await database.transaction((transaction) =>
      transaction.script(`
        create function public.wait() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
        create trigger wait before update on operations.moving for each row
          when (old.table_name = 'collector.bars' and old.rows_moved > 0) execute function public.wait()`),
    );
    await kill('select pg_advisory_xact_lock(1)');
    await query(database, 'drop function public.wait cascade');
    const [{ moved } = { moved: 0 }] = await query<{ moved: number }>(
      database,
      "select rows_moved as moved from operations.moving where table_name = 'collector.bars'",
    );
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(
      (await query<{ n: number }>(old, 'select count(*) as n from collector.bars'))[0]?.n ?? 0,
    );

    for (const sql of [
      "insert into email_subscribers (email) values ('early@example.com')",
      'update mailer.settings set asks_to_confirm = false',
      'delete from collector.bars',
      'truncate public.market_metrics',
      `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
       values ('2026-11-23', 'withheld', 'x', now(), '1', '{}', '{}')`,
    ]) {
      await expect(query(database, sql)).rejects.toMatchObject({ code: 'PT503' });
    }
    const subscribing = database.transaction(
      (transaction) => transaction.query("insert into email_subscribers (email) values ('a@b.co')"),
      { role: 'anon' },
    );
    await expect(subscribing).rejects.toMatchObject({ code: 'PT503' });
    expect(await runCommand(['serve'], { ...settings, PORT: '0' })).toMatchObject({
      code: 1,
      stderr: 'An import into this database is not finished: run it again, and nothing else meanwhile.\n',
    });
    await kill('lock table mailer.deliveries in share mode');

    const last = await runCommand(['import', first], settings);
    const rows = rowsIn(manifestOf(first)).toLocaleString('en-US');
    expect(last).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^Imported ${rows} rows of 20 tables;`)),
    });
    await exportDatabase(database, folder('after-kills'), quiet);
    expect(filesIn(folder('after-kills'))).toEqual(filesIn(first));

    const product = await startProduct(folder('nowhere'), settings);
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

  it('is asked of the server that has the embedded database open', async () => {
    const data = folder('served');
    await copyDemonstration(data);
    const product = await startProduct(data);
    try {
      const settings = { BAROMETER_DATA_DIR: data };
      const out = folder('served-export');
      expect(await runCommand(['export', out], settings)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^Exported 1\d\d,\d{3} rows of 20 tables to .*: keep it as you keep those\.\n/,
        ),
      });
      const key = /sb_publishable_[\w-]{32}/.exec(await (await fetch(product.url)).text())?.[0] ?? '';
      await readExport(out, quiet);
      const rows = gunzipSync(readFileSync(join(out, 'operations.public_key.copy.gz'))).toString();
      expect(rows).toBe(`t\t${key}\n`);

      const refused = await runCommand(['import', out], settings);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/is in use by process \d+, which serves .*: stop it first/);
    } finally {
      await product.stop();
    }
  });

  it('wants one folder, and says so', async () => {
    for (const command of ['export', 'import']) {
      expect(await runCommand([command])).toMatchObject({
        code: 2,
        stderr: `${command} takes DIR and nothing else beside flags; see "${command} --help".\n`,
      });
    }
    const settings = { BAROMETER_DATA_DIR: folder('nobody') };
    expect(await runCommand(['import', folder('missing')], settings)).toMatchObject({
      code: 1,
      stderr: `${folder('missing')} holds no finished export: export again, or name another folder.\n`,
    });
    // Before a database is made.
    expect(() => statSync(folder('nobody'))).toThrow('ENOENT');
  });
});

describe('a small house', () => {
  let house: Database;
  const out = folder('small');
  /** Has nothing from the first test to the last. */
  let empty: Database;
  const removals: (() => Promise<void>)[] = [];

  async function newHouse(): Promise<Database> {
    const { database, remove } = await embeddedForTest();
    removals.push(remove);
    return database;
  }

  beforeAll(async () => {
    [house, empty] = await Promise.all([newHouse(), newHouse()]);
    await fillHouse(house);
    await exportDatabase(house, out, quiet);
  });
  afterAll(() => Promise.all(removals.map((remove) => remove())));

  /** A copy of the export to do harm to. */
  function copyOf(name: string): string {
    const copy = folder(name);
    cpSync(out, copy, { recursive: true });
    return copy;
  }
  const rewrite = (path: string, changes: Partial<Manifest>) =>
    writeFileSync(join(path, 'manifest.json'), manifestText({ ...manifestOf(path), ...changes }));
  /** What a refused import leaves behind. */
  const expectNothing = async () => {
    const tables = ['operations.moving'];
    for (const { name, hasOwnRow } of MOVED_TABLES) if (!hasOwnRow) tables.push(name);
    const filled = tables.map((name) => `select '${name}' as filled from ${name}`).join(' union all ');
    expect(await query(empty, filled)).toEqual([]);
    await query(empty, 'delete from email_subscribers');
  };

  it('goes on after each transaction it is stopped in, the first as the last', async () => {
    const target = await newHouse();
    const filled = manifestOf(out).tables.filter(({ rows }) => rows > 0).length;
    // Looking, comparing and beginning; then looking twice and one table more each time, up to what ends it.
    const found = await readExport(out, quiet);
    for (const count of [0, 1, 2, ...Array<number>(filled + 2).fill(3)]) {
      await expect(importExport(endingAfter(target, count), found, mine)).rejects.toThrow('killed');
    }
    const progress = await query<{ rows: number }>(
      target,
      'select sum(rows_moved) as rows from operations.moving',
    );
    expect(progress).toEqual([{ rows: rowsIn(manifestOf(out)) }]);
    await expect(query(target, 'delete from email_subscribers')).rejects.toMatchObject({ code: 'PT503' });
    expect((await moveInto(endingAfter(target, 4), out)).isNew).toBe(true);
    await exportDatabase(target, folder('small-again'), quiet);
    expect(filesIn(folder('small-again'))).toEqual(filesIn(out));

    expect((await moveInto(target, out)).isNew).toBe(false);
    await query(target, "insert into email_subscribers (email) values ('late@example.com')");
    await expect(moveInto(target, out)).rejects.toThrow(
      /^The database has other data already \(1 row in public\.advanced_indicators\), which stays: import into an empty one\.$/,
    );
    expect(await query(target, "select from email_subscribers where email ~ 'late'")).toHaveLength(1);
    expect(await query(target, 'select * from operations.moving')).toEqual([]);
  });

  it('goes on after kill -9 in the embedded database', async () => {
    const data = folder('embedded-killed');
    const database = join(data, 'database');
    cpSync(await embeddedTemplate(), database, { recursive: true });
    const settings = { BAROMETER_DATA_DIR: data };
    const killed = await runCommand(['import', out], settings, (child) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('importing')) child.kill('SIGKILL');
      });
    });
    expect(killed).toMatchObject({ code: null, stdout: '' });
    const opened = await openEmbedded({ folder: database, workerUrl: WORKER_URL });
    removals.push(() => opened.close());
    expect((await moveInto(opened, out)).isNew).toBe(true);
    expect((await moveInto(opened, out)).isNew).toBe(false);
  });

  it('starts an interrupted export again, and never writes over a finished one', async () => {
    const path = folder('interrupted');
    const aborting = new AbortController();
    const report = ({ done, total }: { done: number; total: number }) => {
      if (done > total / 2) aborting.abort(new Error('stopped'));
    };
    await expect(exportDatabase(house, path, { report, signal: aborting.signal })).rejects.toThrow('stopped');
    expect(readdirSync(path)).not.toContain('manifest.json');
    await expect(readExport(path, quiet)).rejects.toThrow(`${path} holds no finished export`);
    expect((await exportDatabase(house, path, quiet)).isNew).toBe(true);
    expect(filesIn(path)).toEqual(filesIn(out));
    expect((await exportDatabase(house, path, quiet)).isNew).toBe(false);
    await expect(exportDatabase(empty, path, quiet)).rejects.toThrow(
      `${path} holds an export of other data, which stays: name a new folder.`,
    );
    expect(filesIn(path)).toEqual(filesIn(out));
  });

  it('takes no folder that holds anything else', async () => {
    const path = folder('notes');
    mkdirSync(path);
    writeFileSync(join(path, 'notes.txt'), 'mine');
    await expect(exportDatabase(house, path, quiet)).rejects.toThrow(
      `The folder ${path} holds other files (notes.txt): name a new one.`,
    );
    expect(readdirSync(path)).toEqual(['notes.txt']);
    const file = join(path, 'notes.txt');
    await expect(exportDatabase(house, file, quiet)).rejects.toThrow(
      `The folder ${file} cannot be written (ENOTDIR): name one that whoever has the database open may write.`,
    );
    const shared = folder('shared');
    const link = join(shared, `${MOVED_TABLES[0]?.name}.copy.gz.partial`);
    const report = () => statSync(link, { throwIfNoEntry: false }) ?? symlinkSync(file, link);
    await expect(exportDatabase(house, shared, { report })).rejects.toThrow(
      `The folder ${shared} cannot be written (EEXIST)`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it.each([
    ['a flipped bit in a table', 'mailer.deliveries.copy.gz', (path: string) => flip(path, 0.5)],
    ['a flipped bit at its end', 'public.email_subscribers.copy.gz', (path: string) => flip(path, 1)],
    ['the end missing', 'mailer.issued_signals.copy.gz', (path: string) => truncateSync(path, 200)],
    ['nothing in it', 'mailer.settings.copy.gz', (path: string) => truncateSync(path, 0)],
    [
      'a line without an end',
      'mailer.settings.copy.gz',
      (path: string) => writeFileSync(path, gzipSync(Buffer.alloc(70_000_000), { level: 1 })),
    ],
    ['a file missing', 'collector.series.copy.gz', (path: string) => rmSync(path)],
    [
      'other rows',
      'mailer.settings.copy.gz',
      (path: string) => cpSync(join(out, 'collector.series.copy.gz'), path),
    ],
    ['a flipped bit in the manifest', 'manifest.json', (path: string) => flip(path, 0.5)],
    ['half a manifest', 'manifest.json', (path: string) => truncateSync(path, 300)],
    [
      'another number in the manifest',
      'manifest.json',
      (path: string) => put(path, '"nextId": 304', '"nextId": 1'),
    ],
  ])('refuses %s before anything is written', async (what, file, harm) => {
    const path = copyOf(what.replaceAll(' ', '-'));
    harm(join(path, file));
    await expect(moveInto(empty, path)).rejects.toThrow(
      `${join(path, file)} is damaged: export again, or take another copy.`,
    );
    await expectNothing();
  });

  it.each([
    ['newer', '20990101000000', 'update this one, and import again'],
    ['older', '20261120000000', 'update the one it is from, and export again'],
  ])('refuses an export of one that is %s', async (age, migration, advice) => {
    const path = copyOf(age);
    rewrite(path, { migration });
    await expect(moveInto(empty, path)).rejects.toThrow(
      new RegExp(
        `^The export is of an? ${age} Barometer \\(migration ${migration}; this one has \\d{14}\\): ${advice}\\.$`,
      ),
    );
    await expectNothing();
  });

  it('refuses another format, other tables and other columns', async () => {
    const path = copyOf('another-format');
    put(join(path, 'manifest.json'), '"format": 1', '"format": 2');
    await expect(moveInto(empty, path)).rejects.toThrow(/was written by a newer Barometer: update this one/);
    const escaping = copyOf('escaping');
    rewrite(escaping, { migration: '\u001b[2J' });
    await expect(moveInto(empty, escaping)).rejects.toThrow(/manifest\.json is damaged/);
    const tables = copyOf('other-tables');
    rewrite(tables, { tables: manifestOf(tables).tables.slice(1) });
    await expect(moveInto(empty, tables)).rejects.toThrow(/^The export is of other tables/);
    const columns = copyOf('other-columns');
    const without = manifestOf(columns).tables.map((entry) => ({
      ...entry,
      columns: entry.columns.slice(1),
    }));
    rewrite(columns, { tables: without });
    await expect(moveInto(empty, columns)).rejects.toThrow(
      /^The table mailer\.settings has other columns than in the export/,
    );
    const elsewhere = copyOf('elsewhere');
    const names = manifestOf(elsewhere).tables.map((entry) => ({ ...entry, name: `../small/${entry.name}` }));
    rewrite(elsewhere, { tables: names });
    await expect(moveInto(empty, elsewhere)).rejects.toThrow(/manifest\.json is damaged/);
    await expectNothing();
  });

  it('loses nothing of a database that has other data', async () => {
    await query(empty, "insert into email_subscribers (email) values ('own@example.com')");
    await expect(moveInto(empty, out)).rejects.toThrow(
      'The database has other data already (1 row in public.email_subscribers), which stays: import into an empty one.',
    );
    expect(await query(empty, 'select email from email_subscribers')).toEqual([{ email: 'own@example.com' }]);
    await query(empty, 'delete from email_subscribers');
    await expectNothing();
  });

  it('loses nothing of a part of another export, names the table that turns out otherwise, opens nothing, and is exported by nobody', async () => {
    const target = await newHouse();
    const other = folder('other');
    await exportDatabase(target, other, quiet);
    await expect(moveInto(endingAfter(target, 5), out)).rejects.toThrow('killed');
    const begun = await query(target, 'select * from operations.moving order by 1');
    await expect(moveInto(target, other)).rejects.toThrow(
      'The database holds a part of another export: finish that import first, or import into an empty database.',
    );
    expect(await query(target, 'select * from operations.moving order by 1')).toEqual(begun);

    const meddling: Database = {
      ...target,
      transaction: (work, options) =>
        target.transaction(
          (transaction) =>
            work({
              ...transaction,
              copyIn: (sql, bytes) =>
                transaction.copyIn(sql, Buffer.from(Buffer.from(bytes).toString().replace('left', 'lost'))),
            }),
          options,
        ),
    };
    await query(
      target,
      'alter table email_subscribers drop constraint email_subscribers_deactivated_because_check',
    );
    await expect(moveInto(meddling, out)).rejects.toThrow(
      /^public\.email_subscribers is not as the export has it after all rows were moved/,
    );
    await expect(query(target, 'delete from email_subscribers')).rejects.toMatchObject({ code: 'PT503' });
    await expect(exportDatabase(target, folder('half'), quiet)).rejects.toThrow(
      'An import into this database is not finished: run it again before you export.',
    );
    expect(() => statSync(folder('half'))).toThrow('ENOENT');
    const lines: string[] = [];
    await expect(exportSubscribers(target, (line) => void lines.push(line))).rejects.toThrow(
      'An import into this database is not finished: run it again before you export.',
    );
    expect(lines).toEqual([]);
  });
});

function flip(path: string, part: number): void {
  const bytes = readFileSync(path);
  // Not the last four, which say how long the unpacked file is modulo 2³².
  const at = Math.floor((bytes.length - 5) * part);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  writeFileSync(path, bytes);
}

function put(path: string, before: string, after: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  writeFileSync(path, text.replace(before, after));
}
