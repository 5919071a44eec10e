import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import { openEmbedded } from './open.ts';

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-open-'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const open = (folder: string) =>
  openEmbedded({ folder, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS });

/** Returns the paths in the folder to which other users have any right. */
const readableByOthers = (folder: string): string[] =>
  [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ].filter((path) => (statSync(path).mode & 0o077) !== 0);

async function refusal(folder: string): Promise<DatabaseUnavailable> {
  const error = await open(folder).catch((reason: unknown) => reason);
  if (!(error instanceof DatabaseUnavailable)) throw new Error(`Refused otherwise: ${String(error)}`);
  expect(await isLocked(folder)).toBe(false);
  expect(error.message).toMatch(/^[^\n]+\. [^\n]+\.$/);
  return error;
}

describe('opening the embedded database', () => {
  it('refuses a path that is a file', async () => {
    const folder = join(parent, 'file');
    writeFileSync(folder, 'something');
    expect((await refusal(folder)).reason).toBe('not a database');
    expect((await refusal(join(folder, 'below'))).reason).toBe('not a database');
  });

  it('refuses a folder with other files and keeps them', async () => {
    const folder = join(parent, 'other');
    mkdirSync(folder);
    writeFileSync(join(folder, 'letter.txt'), 'Hello');
    expect((await refusal(folder)).reason).toBe('not a database');
    expect(existsSync(join(folder, 'letter.txt'))).toBe(true);
  });

  it('refuses a database of another Postgres version', async () => {
    const folder = join(parent, 'older');
    mkdirSync(folder);
    writeFileSync(join(folder, 'PG_VERSION'), '16\n');
    expect((await refusal(folder)).message).toContain('made by Postgres 16');
  });

  it('refuses a damaged database', async () => {
    const folder = join(parent, 'damaged');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    truncateSync(join(folder, 'global', 'pg_control'), 0);
    expect((await refusal(folder)).reason).toBe('damaged');
  });

  it('creates the database in an empty folder for its user only', async () => {
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
    expect(readableByOthers(folder)).toEqual([]);
    expect(existsSync(`${folder}.new`)).toBe(false);
    await expect(database.transaction(async () => 1)).rejects.toThrow('The database is closed.');
  });

  it('removes the rights of other users, also from new files', async () => {
    const folder = join(parent, 'readable');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    for (const path of [folder, join(folder, 'base')]) chmodSync(path, 0o755);
    chmodSync(join(folder, 'PG_VERSION'), 0o666);
    const database = await open(folder);
    await database.transaction((transaction) => transaction.query('create table new_file (id int)'));
    await database.close();
    expect(readableByOthers(folder)).toEqual([]);
  });

  it.each([
    [{ code: null, message: 'file system error ENOSPC' }, 'full'],
    [{ code: null, message: 'file system error EROFS' }, 'unwritable'],
    [{ code: 'ENOSPC', message: 'write' }, 'full'],
    [
      { code: null, message: 'could not write to file "pg_wal/xlogtemp.42": No space left on device' },
      'full',
    ],
    [{ code: 'EACCES', message: 'mkdir' }, 'unwritable'],
    [{ code: 'EROFS', message: 'mkdir' }, 'unwritable'],
    [{ code: 'EPERM', syscall: 'listen', message: 'listen EPERM' }, 'misconfigured'],
    [{ code: 'EACCES', syscall: 'listen', message: 'listen EACCES' }, 'unwritable'],
    [{ code: 'ENOTDIR', message: 'mkdir' }, 'not a database'],
    [{ code: null, message: 'could not locate a valid checkpoint record' }, 'damaged'],
  ])('gives the reason of %j', (failure, reason) => {
    expect(unavailableFrom(failure, '/data').reason).toBe(reason);
  });
});
