import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '#tests/support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import type { Database, Transaction } from '../port.ts';
import { connectToHolder, takeLock } from './lock.ts';
import { openEmbedded, openShared } from './open.ts';

let parent: string;
let folder: string;
let folders = 0;
const opened: Database[] = [];
const options = () => ({ folder, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS });
const shared = async () => {
  const database = await openShared(options());
  opened.push(database);
  return database;
};
const holder = async () => {
  const database = await openEmbedded(options());
  opened.push(database);
  return database;
};

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-shared-'));
});
afterEach(async () => {
  for (const database of opened.splice(0).reverse()) await database.close();
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A folder with a migrated database. */
async function freshFolder() {
  folders += 1;
  folder = join(parent, `${folders}`, 'database');
  cpSync(await embeddedTemplate(), folder, { recursive: true });
}

const ADDRESS = 'jane@example.org';
const subscribe = (transaction: Transaction) =>
  transaction.query('insert into public.email_subscribers (email, is_active) values ($1, true)', [ADDRESS]);
const subscribers = (database: Database) =>
  database.transaction((transaction) => transaction.query('select email from public.email_subscribers'));
const STOPPED =
  'The process that had the database open stopped before the command finished. Run the command again.';

describe('a database that another process has open', () => {
  it('is used through that process', async () => {
    await freshFolder();
    const [first, second] = [await holder(), await shared()];
    await second.transaction(subscribe, { durable: true });
    expect(await subscribers(first)).toEqual([{ email: ADDRESS }]);
  });

  it('is used through that process while it starts', async () => {
    await freshFolder();
    const starting = holder();
    await expect.poll(() => isLocked(folder)).toBe(true);
    const [first, second] = await Promise.all([starting, shared()]);
    await first.transaction(subscribe);
    expect(await subscribers(second)).toEqual([{ email: ADDRESS }]);
  });

  it('is opened by one of several commands that start at once and used by all', async () => {
    await freshFolder();
    const all = await Promise.all(Array.from({ length: 5 }, shared));
    await all[0]?.transaction(subscribe);
    for (const each of all) expect(await subscribers(each)).toEqual([{ email: ADDRESS }]);
  });

  it('is opened by the next command after that process stops', async () => {
    await freshFolder();
    const first = await holder();
    const [second] = await Promise.all([shared(), first.close()]);
    expect(await subscribers(second)).toEqual([]);
  });

  it('rolls back the transaction of a command that dies', async () => {
    await freshFolder();
    const first = await holder();
    const second = await shared();
    const dying = second.transaction(async (transaction) => {
      await subscribe(transaction);
      await second.close();
      await transaction.query('select 1');
    });
    await expect(dying).rejects.toThrow('The database is closed.');
    expect(await subscribers(first)).toEqual([]);
  });

  it('fails a command with one sentence if the process that holds the database stops', async () => {
    await freshFolder();
    const first = await holder();
    const second = await shared();
    const outlived = second.transaction(async (transaction) => {
      await subscribe(transaction);
      await first.close();
      await transaction.query('select 1');
    });
    await expect(outlived).rejects.toThrow(STOPPED);
    await expect(subscribers(second)).rejects.toThrow(STOPPED);
    expect(await subscribers(await shared())).toEqual([]);
  });

  it('refuses a second server', async () => {
    await freshFolder();
    await holder();
    await expect(holder()).rejects.toThrow(`is in use by process ${process.pid}: stop that process first`);
  });
});

describe('the lock folder', () => {
  it('can contain the socket of a killed process', async () => {
    await freshFolder();
    mkdirSync(`${folder}.lock`);
    const [left, hidden] = [join(`${folder}.lock`, '0'.repeat(16)), join(`${folder}.lock`, 'left')];
    const killed = createServer().listen(hidden);
    await once(killed, 'listening');
    renameSync(hidden, left);
    killed.close();
    expect(await subscribers(await shared())).toEqual([]);
  });

  it('connects a client to the holder only', async () => {
    await freshFolder();
    expect(await connectToHolder(folder)).toBeNull();
    const release = await takeLock(folder);
    const socket = await connectToHolder(folder);
    await once(socket?.resume() as NonNullable<typeof socket>, 'close');
    release();
  });

  it('can have a path that is too long for a socket', async () => {
    await freshFolder();
    const long = join(parent, 'x'.repeat(120));
    cpSync(folder, join(long, 'database'), { recursive: true });
    folder = join(long, 'database');
    if (process.platform !== 'linux') {
      await expect(shared()).rejects.toThrow('is too long for a socket');
      return;
    }
    await holder();
    expect(await subscribers(await shared())).toEqual([]);
  });
});

describe.runIf(process.getuid?.() === 0)('a lock folder of another user', () => {
  it('is the reason of the refusal', async () => {
    const bundle = await bundleForNode('tests/support/lock-child.ts');
    const program = join(parent, 'lock-child.mjs');
    cpSync(bundle, program);
    await freshFolder();
    const OTHER = 65_534;
    const lockFolder = `${folder}.lock`;
    mkdirSync(lockFolder);
    const release = await takeLock(folder);
    for (const path of [parent, join(folder, '..')]) chmodSync(path, 0o755);
    chownSync(lockFolder, OTHER, OTHER);
    const child = spawn(process.execPath, [program, folder], {
      uid: OTHER,
      gid: OTHER,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      child.stdin.write('take\n');
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const line = (await lines.next()).value;
      expect(line).toBe(
        `The database in ${folder} is in use by a process of another user: stop that process first, or set another BAROMETER_DATA_DIR.`,
      );
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
      release();
      rmSync(join(bundle, '..'), { recursive: true, force: true });
    }
  });
});
