import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import { readLock, takeLock, writeLockDetails } from './lock.ts';
import { openEmbedded } from './open.ts';

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-open-'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const open = (folder: string) =>
  openEmbedded({ folder, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS });

async function refusal(folder: string): Promise<DatabaseUnavailable> {
  const error = await open(folder).catch((reason: unknown) => reason);
  if (!(error instanceof DatabaseUnavailable)) throw new Error(`Refused otherwise: ${String(error)}`);
  expect(readLock(folder)).toBeNull();
  expect(error.message).toMatch(/^[^\n]+: [^\n]+\.$/);
  return error;
}

describe('opening the embedded database', () => {
  it('says that a file stands in its place', async () => {
    const folder = join(parent, 'file');
    writeFileSync(folder, 'something');
    expect((await refusal(folder)).reason).toBe('not a database');
    expect((await refusal(join(folder, 'below'))).reason).toBe('not a database');
  });

  it('touches no folder that holds something else', async () => {
    const folder = join(parent, 'other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'letter.txt'), 'dear all');
    expect((await refusal(folder)).reason).toBe('not a database');
    expect(existsSync(join(folder, 'letter.txt'))).toBe(true);
  });

  it('says that another Postgres made it', async () => {
    const folder = join(parent, 'older');
    mkdirSync(folder);
    writeFileSync(join(folder, 'PG_VERSION'), '16\n');
    expect((await refusal(folder)).message).toContain('made by Postgres 16');
  });

  it('says that it is damaged', async () => {
    const folder = join(parent, 'damaged');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    truncateSync(join(folder, 'global', 'pg_control'), 0);
    expect((await refusal(folder)).reason).toBe('damaged');
  });

  it('makes it where an empty folder stands, with rights for its user only, past a half-made one', async () => {
    const folder = join(parent, 'fresh');
    mkdirSync(folder);
    mkdirSync(`${folder}.new`);
    writeFileSync(join(`${folder}.new`, 'PG_VERSION'), '18');
    const database = await open(folder);
    const rows = await database.transaction((transaction) =>
      transaction.query('select * from market_metrics'),
    );
    expect(rows).toEqual([]);
    await database.close();
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(existsSync(`${folder}.new`)).toBe(false);
    await expect(database.transaction(async () => 1)).rejects.toThrow('The database is closed.');
  });

  it.each([
    [{ code: 'ENOSPC', message: 'write' }, 'full'],
    [
      { code: null, message: 'could not write to file "pg_wal/xlogtemp.42": No space left on device' },
      'full',
    ],
    [{ code: 'EACCES', message: 'mkdir' }, 'unwritable'],
    [{ code: 'EROFS', message: 'mkdir' }, 'unwritable'],
    [{ code: 'ENOTDIR', message: 'mkdir' }, 'not a database'],
    [{ code: null, message: 'could not locate a valid checkpoint record' }, 'damaged'],
  ])('names the failure %j', (failure, reason) => {
    expect(unavailableFrom(failure, '/data').reason).toBe(reason);
  });
});

describe('the lock', () => {
  it('is held by one, tells where it can be asked, and is given back', () => {
    const folder = join(parent, 'locked');
    const release = takeLock(folder);
    writeLockDetails(folder, { url: 'http://127.0.0.1:4321', token: 'secret' });
    expect(readLock(folder)).toMatchObject({
      pid: process.pid,
      url: 'http://127.0.0.1:4321',
      token: 'secret',
    });
    expect(statSync(`${folder}.lock`).mode & 0o077).toBe(0);
    expect(() => takeLock(folder)).toThrow(
      `in use by process ${process.pid}, which serves http://127.0.0.1:4321`,
    );
    release();
    expect(readLock(folder)).toBeNull();
    takeLock(folder)();
  });

  it.each([
    ['of a process that is no more', JSON.stringify({ pid: 2 ** 30, started: '1' })],
    ['whose number another process has now', JSON.stringify({ pid: process.pid, started: '1' })],
    ['that is half written', '{"pid":'],
  ])('%s is taken over', (what, text) => {
    if (what.includes('number') && process.platform !== 'linux') return;
    const folder = join(parent, 'stale');
    writeFileSync(`${folder}.lock`, text);
    expect(readLock(folder)).toBeNull();
    const release = takeLock(folder);
    expect(readLock(folder)?.pid).toBe(process.pid);
    release();
  });
});
