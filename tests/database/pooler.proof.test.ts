import { appendFileSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { placeOf } from '#database/address.ts';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, queryOnce, type Row } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { createLog } from '#server/log.ts';
import { watchMarket } from '#server/market-watch.ts';
import { refusalOf } from '#server/rest/refusal.ts';
import { type Authority, makeAuthority } from '#tests/support/authority.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { hasPgbouncer, type Pooler, startPgbouncer } from '#tests/support/pgbouncer.ts';
import { type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { type Product, runCommand, startProduct } from '#tests/support/product.ts';
import { servingProcess } from '#tests/support/serving-process.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { smallSource } from '#tests/support/small-source.ts';
import { protectionOf } from '../../src/cli/doctor/check-services.ts';

/** Contains all characters that end a part of an address. */
const PASSWORD = 'p@ss/w#rd?%:&=+"ü';
const KEEPER = 'keeper';
/** Number of connections of each pool. If it is 1, a second transaction waits for the first. */
const CONNECTIONS = { market: 3, narrow: 1 } as const;
/** The owner of each database, and the attribute of the role for row-level security. */
const OWNERS = { bypassing: 'bypassrls', bound: 'nobypassrls' } as const;
type Pool = keyof typeof CONNECTIONS;

let server: Postgres;
let authority: Authority;
let pooler: Pooler;
/** Connects as the superuser, without the pooler. */
let direct: Database;
const folder = folderForTests();
let market: ReturnType<typeof marketFolder>;

/** All state that a session can keep between transactions. */
const STATE = `select pg_backend_pid() as pid, json_build_object(
  'settings', (select json_object_agg(name, setting order by name) from pg_settings where name not like 'plpgsql.%'),
  -- Includes the few settings that the pooler itself resets for its next client.
  'set', (select json_agg(name order by name) from pg_settings where source = 'session'),
  'client', coalesce(current_setting('barometer.client', true), ''),
  'role', current_user || ' of ' || session_user,
  'prepared', (select count(*) from pg_prepared_statements),
  'cursors', (select count(*) from pg_cursors),
  'channels', (select count(*) from pg_listening_channels()),
  'temporary', (select count(*) from pg_class where relnamespace = pg_my_temp_schema()),
  'advisory', (select count(*) from pg_locks where locktype = 'advisory')
) as state`;

interface Session {
  pid: number;
  state: Record<string, unknown>;
}

/**
 * Returns the session state of every connection of a pool. As many transactions as connections run at once, so each
 * connection runs one.
 */
async function sessionsOf(pool: Pool): Promise<Session[]> {
  const clients = Array.from({ length: CONNECTIONS[pool] }, () => new pg.Client(pooled(pool)));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    await Promise.all(clients.map((client) => client.query('begin')));
    const found = await Promise.all(clients.map((client) => client.query<Session>(STATE)));
    await Promise.all(clients.map((client) => client.query('commit')));
    return found.flatMap(({ rows }) => rows);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

const pooled = (pool: Pool) =>
  `${pooler.addressOf(pool, KEEPER)}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.file)}`;

const ask = <R extends Row = Row>(sql: string, parameters: (string | number)[] = []) =>
  queryOnce<R>(direct, sql, parameters);

/** Creates the owner of a hosted project's tables, who is no superuser. */
const makeOwner = (owner: string, attribute: string) =>
  server.run(`
    create role ${owner} login nosuperuser nocreaterole nocreatedb ${attribute};
    grant anon, authenticated, service_role to ${owner}`);

/** Creates the database of a new hosted project and returns its superuser's address. */
async function makeProject(name: string, owner: string): Promise<string> {
  const url = new URL(await server.createDatabase(name, owner));
  url.username = 'postgres';
  await server.run(
    `grant usage on schema public to anon, authenticated, service_role;
     alter default privileges for role ${owner} in schema public grant all on tables to anon, authenticated, service_role`,
    url.href,
  );
  return url.href;
}

/** Enables encryption, and creates a user who needs a password. */
async function offerEncryption(certificate: { certificate: string; key: string }): Promise<void> {
  await server.restart(async () => {
    const { uid, gid } = statSync(server.data);
    for (const file of Object.values(certificate)) chownSync(file, uid, gid);
    for (const [name, file] of Object.entries({ crt: certificate.certificate, key: certificate.key })) {
      copyFileSync(file, join(server.data, `server.${name}`));
      chownSync(join(server.data, `server.${name}`), uid, gid);
    }
    appendFileSync(join(server.data, 'postgresql.conf'), '\nssl = on\n');
    const rules = join(server.data, 'pg_hba.conf');
    writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  });
  const password = `U&'${[...PASSWORD].map((letter) => `\\${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}'`;
  await server.run(`create role guarded login password ${password}`);
}

beforeAll(async () => {
  if (!hasPgbouncer()) return;
  market = marketFolder(smallMarket('2025-01-02', '2026-11-20'));
  authority = makeAuthority();
  server = await startPostgres();
  const certificate = authority.issue('localhost');
  await offerEncryption(certificate);
  await server.run(`
    create role anon nologin noinherit;
    create role authenticated nologin noinherit;
    create role service_role nologin noinherit bypassrls`);
  await makeOwner(KEEPER, 'nobypassrls');
  direct = await openPostgres({ url: await makeProject('market', KEEPER) });
  for (const [owner, attribute] of Object.entries(OWNERS)) {
    await makeOwner(owner, attribute);
    await makeProject(owner, owner);
  }
  pooler = await startPgbouncer({
    postgresUrl: server.url,
    users: Object.fromEntries([KEEPER, ...Object.keys(OWNERS)].map((user) => [user, PASSWORD])),
    databases: {
      market: { database: 'market', connections: CONNECTIONS.market },
      narrow: { database: 'market', connections: CONNECTIONS.narrow },
      bypassing: { database: 'bypassing', connections: 1 },
      bound: { database: 'bound', connections: 1 },
    },
    tls: certificate,
  });
});
afterAll(async () => {
  await direct?.close();
  await pooler?.stop();
  await server?.stop();
  authority?.remove();
  market?.remove();
});
beforeEach((context) => {
  if (!hasPgbouncer()) context.skip('PgBouncer is not installed on this machine');
});

const settings = (pool: Pool, more: Record<string, string> = {}) => ({
  DATABASE_URL: pooled(pool),
  BAROMETER_DATA_DIR: folder,
  MARKET_SOURCE: 'csv',
  MARKET_CSV_DIR: market.dir,
  ...more,
});

describe('servers and commands behind a transaction pooler', () => {
  /** The session state of an unused connection. */
  let fresh: Session['state'];

  beforeAll(async () => {
    if (hasPgbouncer()) fresh = (await sessionsOf('narrow'))[0]?.state ?? {};
  });
  afterEach(async () => {
    if (!hasPgbouncer()) return;
    for (const pool of Object.keys(CONNECTIONS) as Pool[]) {
      for (const { state } of await sessionsOf(pool)) expect(state).toEqual(fresh);
    }
    const left = `select state, query from pg_stat_activity where datname = 'market' and pid <> pg_backend_pid()
      and (state like 'idle in transaction%' or exists (
        select from pg_locks where pg_locks.pid = pg_stat_activity.pid and backend_type = 'client backend'))`;
    await expect.poll(() => ask(left)).toEqual([]);
  });

  it('lets two servers that start at once fill the database once', async () => {
    const folders = ['one', 'other'].map((name) => join(folder, name));
    const servers: Product[] = await Promise.all(
      folders.map((path) => startProduct(path, settings('market', { BAROMETER_DATA_DIR: path }))),
    );
    try {
      for (const { url } of servers) {
        const page = await (await fetch(url)).text();
        expect(page).toContain('id="barometer-data"');
        const { anonKey } = JSON.parse(/id="barometer-config">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}');
        const read = await fetch(`${url}/rest/v1/market_metrics?select=market_exposure&limit=2`, {
          headers: { apikey: anonKey },
        });
        expect([read.status, await read.json()]).toEqual([200, [expect.anything(), expect.anything()]]);
        for (const client of ['192.0.2.1', '192.0.2.2']) {
          const subscribed = await fetch(`${url}/rest/v1/email_subscribers`, {
            method: 'POST',
            headers: { apikey: anonKey, 'Content-Type': 'application/json', 'X-Forwarded-For': client },
            body: JSON.stringify({ email: `${new URL(url).port}@${client}.example.org`, is_active: true }),
          });
          expect(subscribed.status).toBe(201);
        }
      }
    } finally {
      await Promise.all(servers.map(({ stop }) => stop()));
    }
    const output = servers.map((each) => each.output()).join('');
    expect(output.match(/"event":"job done","job":"backfill"/g)).toHaveLength(1);
    const problems = output.match(/"level":"(warn|error)","event":"[^"]*"/g) ?? [];
    // Two warnings are allowed. A weekly signal may be due today. The server that does not fill the database may read
    // the data version before the migrations or after its first change, and then retries.
    const mayBe = /"event":"(signal waits|market watch lost)"/;
    expect(problems.filter((line) => !mayBe.test(line))).toEqual([]);
    expect(await ask('select added from mailer.subscription_counts')).toEqual([{ added: 2 }, { added: 2 }]);
  });

  it('lets the doctor name server, database and user, but not the password', async () => {
    const { stdout, stderr } = await runCommand(['doctor'], settings('market'));
    expect(stdout).toMatch(/^ok {5}Postgres [\d.]+ at localhost:\d+\/market, as keeper, encrypted\.$/m);
    expect(stdout + stderr).not.toContain(PASSWORD);
    expect(stdout + stderr).not.toContain(encodeURIComponent(PASSWORD));
    expect(stderr).toBe('');
  });

  it('lets the next run do the work of a killed run once the lease has expired', async () => {
    const killed = await runCommand(['backfill'], settings('narrow'), (child) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('storing')) child.kill('SIGKILL');
      });
    });
    expect([killed.code, killed.stdout]).toEqual([null, '']);
    expect(await ask('select name from operations.leases')).toEqual([{ name: 'collector' }]);
    expect((await runCommand(['collect'], settings('market'))).stderr).toMatch(
      /^The collector is already running: backfill on /m,
    );
    await ask("update operations.leases set held_until = now() - interval '1 second'");
    const [next, other] = await Promise.all([
      runCommand(['collect'], settings('narrow')),
      runCommand(['subscribers', 'export'], settings('narrow')),
    ]);
    expect([next.code, other.code]).toEqual([0, 0]);
    expect(await ask('select name from operations.leases')).toEqual([]);
  });

  describe('a connection', () => {
    let database: Database;
    beforeAll(async () => {
      if (hasPgbouncer())
        database = await openPostgres({ url: pooled('narrow'), migrationsFolder: MIGRATIONS });
    });
    afterAll(() => database?.close());
    const run = (sql: string, options = {}) => queryOnce(database, sql, [], options);
    const pid = async () => (await run('select pg_backend_pid() as pid'))[0]?.pid;

    it('stays usable after timeouts, failures, roles, snapshots and copies', async () => {
      const before = await pid();
      await run('select 1', {
        ...{ role: 'anon', readOnly: true, snapshot: true, durable: true },
        statementTimeoutMs: 60_000,
      });
      await expect(run('select pg_sleep(60)', { statementTimeoutMs: 20 })).rejects.toMatchObject({
        code: '57014',
      });
      await expect(run('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
      await expect(run('select * from public.email_subscribers', { role: 'anon' })).rejects.toMatchObject({
        code: '42501',
      });
      await expect(
        run('delete from public.market_metrics', { readOnly: true, snapshot: true }),
      ).rejects.toThrow();
      const lines = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join('');
      await database.transaction(async (transaction) => {
        await transaction.script('create table public.copied (number int); select 1');
        await transaction.copyIn('copy public.copied from stdin', Buffer.from(lines));
      });
      const copied = await database.transaction((transaction) =>
        text(transaction.copyOut('copy public.copied to stdout')),
      );
      expect(copied).toBe(lines);
      await run('drop table public.copied');
      expect(await pid()).toBe(before);
    });

    it('finds the commits of other processes by polling', async () => {
      const ticks = new Set<() => void>();
      const lines: string[] = [];
      const watch = await watchMarket({
        database,
        now: Date.now,
        log: createLog({ write: (line) => lines.push(line), clock: () => 0, format: 'plain' }),
        every: (_, tick) => {
          ticks.add(tick);
          return () => ticks.delete(tick);
        },
      });
      const before = watch.version;
      await ask(
        'insert into public.market_metrics (market_exposure, created_at) values (50, clock_timestamp())',
      );
      expect([watch.isWatching, watch.version]).toEqual([true, before]);
      for (const tick of ticks) tick();
      await expect.poll(() => watch.version).toBe(before + 1);
      await watch.close();
      expect(lines).toEqual([]);
    });

    it('fails with a transient error while Postgres restarts', async () => {
      const database = await openPostgres({ url: pooled('narrow') });
      const one = (options = {}) => queryOnce(database, 'select 1', [], options);
      await server.restart(async () => {
        const failure = await one({ statementTimeoutMs: 100 }).catch((error: unknown) => error);
        expect(refusalOf(failure).status).toBe(503);
      });
      const works = () =>
        one().then(
          () => true,
          () => false,
        );
      await expect.poll(works).toBe(true);
      await database.close();
    });
  });
});

describe.each(Object.keys(OWNERS))('an owner of the tables who is no superuser (%s)', (owner) => {
  it('hides subscribers from visitors after a migration and a collection', async () => {
    const database = await openPostgres({
      url: pooler.addressOf(owner, owner),
      migrationsFolder: MIGRATIONS,
    });
    const run = (sql: string, options = {}) => queryOnce(database, sql, [], options);
    const now = Date.parse('2026-11-20T22:00:00Z');
    const { tick, lines } = servingProcess(database, smallSource(), { now: () => now, mustRun: true });
    await tick();
    expect(lines).toMatchObject([{ event: 'job done', job: 'backfill' }]);
    expect(await run('select from public.market_metrics limit 1', { role: 'anon' })).toHaveLength(1);
    const insert = "insert into public.email_subscribers (email, is_active) values ('ann@example.com', true)";
    await run(insert, { role: 'anon', durable: true });
    expect(await run('select email from public.email_subscribers')).toEqual([{ email: 'ann@example.com' }]);
    await expect(run('select email from public.email_subscribers', { role: 'anon' })).rejects.toMatchObject({
      code: '42501',
    });
    await database.close();
  });
});

describe('an address of Postgres', () => {
  const HOST = 'localhost';
  const addressOf = (words: string, host = HOST) =>
    `postgres://guarded:${encodeURIComponent(PASSWORD)}@${host}:${new URL(server.url).port}/postgres?${words}`;
  const withAuthority = (words: string) => `${words}&sslrootcert=${encodeURIComponent(authority.file)}`;

  it.each([
    ['', 'none'],
    ['pgbouncer=true&connection_limit=1', 'none'],
    ['sslmode=disable', 'none'],
    ['sslmode=no-verify', 'unverified'],
    ['sslmode=require', 'unverified'],
    ['sslmode=require with its authority', 'verified'],
    ['sslmode=verify-ca with its authority', 'verified'],
    ['sslmode=verify-full with its authority', 'verified'],
  ])('with %j gives a connection with encryption %s, without a warning', async (words, encryption) => {
    const warnings: unknown[] = [];
    const keep = (warning: Error) => warnings.push(warning.message);
    process.on('warning', keep);
    const [alone = '', known] = words.split(' with');
    const url = addressOf(known === undefined ? alone : withAuthority(alone));
    expect(protectionOf(url).encryption).toBe(encryption);
    const database = await openPostgres({ url });
    const encrypted = await queryOnce(database, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await database.close();
    process.off('warning', keep);
    expect([encrypted, warnings]).toEqual([[{ ssl: encryption !== 'none' }], []]);
  });

  it.each([
    [
      'an unknown certificate authority',
      () => addressOf('sslmode=verify-full'),
      /has a certificate that cannot be verified \(\w+\)\. Set sslrootcert in DATABASE_URL to the file of its certificate authority\./,
    ],
    [
      'a certificate for another name',
      () => addressOf(withAuthority('sslmode=verify-full'), '127.0.0.1'),
      /has a certificate for another host name\. Use that name in DATABASE_URL\./,
    ],
    [
      'a missing certificate file',
      () => addressOf('sslmode=verify-full&sslrootcert=/nowhere/ca.crt'),
      /^DATABASE_URL names \/nowhere\/ca\.crt in sslrootcert, which cannot be read \(ENOENT\)\.$/,
    ],
    [
      'several hosts',
      () => addressOf('').replace(HOST, `${HOST},${HOST}`),
      /^DATABASE_URL names several hosts/,
    ],
    [
      'a wrong password',
      () => addressOf('').replace('guarded:', 'guarded:x'),
      /\(password authentication failed for user "guarded"\)/,
    ],
    [
      'an invalid escape',
      () => addressOf('').replace('guarded:', 'guarded:%ff'),
      /^DATABASE_URL is invalid; in user and password/,
    ],
  ])('with %s fails with a sentence that does not show the password', async (_, url, sentence) => {
    const failure = await openPostgres({ url: url() }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    const { message } = failure as Error;
    expect(message).toMatch(sentence);
    expect(message).not.toContain(PASSWORD.slice(0, 4));
    expect(message).not.toContain(encodeURIComponent(PASSWORD));
  });

  /**
   * A server at another address that forwards connections to Postgres. With `refusal` it refuses encryption with that
   * text instead.
   */
  async function from(host: string, refusal?: string) {
    const place = createServer((near) => {
      if (refusal !== undefined) {
        near.once('data', () => near.end(refusal));
        return;
      }
      const far = connect(Number(new URL(server.url).port), '127.0.0.1');
      near.on('error', () => undefined);
      far.on('error', () => undefined);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => place.listen(0, host, resolve));
    return { port: (place.address() as AddressInfo).port, close: () => place.close() };
  }

  it('fails if it requires encryption, which the server lacks', async () => {
    const { port, close } = await from('127.0.0.1', 'N');
    const opening = openPostgres({ url: `postgres://keeper@127.0.0.1:${port}/market?sslmode=require` });
    await expect(opening).rejects.toThrow(/offers no encryption, but sslmode in DATABASE_URL requires it/);
    close();
  });

  it('can be an IPv6 address or a Unix socket', async (context) => {
    const socket = encodeURIComponent(join(server.data, '..'));
    const { port } = new URL(server.url);
    for (const url of [
      `postgres:///postgres?host=${socket}&port=${port}&user=postgres`,
      `postgres://postgres@${socket}:${port}/postgres`,
    ]) {
      expect(protectionOf(url).isLocal).toBe(true);
      await (await openPostgres({ url })).close();
    }
    if (
      !Object.values(networkInterfaces())
        .flat()
        .some((each) => each?.address === '::1')
    ) {
      context.skip('this machine has no IPv6');
    }
    const proxy = await from('::1');
    const url = `postgres://${KEEPER}@[::1]:${proxy.port}/market`;
    expect(placeOf(url)).toBe(`[::1]:${proxy.port}/market`);
    expect(protectionOf(url).isLocal).toBe(true);
    await (await openPostgres({ url })).close();
    proxy.close();
  });
});
