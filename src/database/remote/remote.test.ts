import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { type Database, DatabaseError, type Transaction } from '../port.ts';
import { DatabaseUnavailable, isTransient } from '../unavailable.ts';
import { openRemote } from './remote-database.ts';
import { serveConnection } from './serve-database.ts';

let folder: string;
let connections = 0;

/** The two ends of a connection over a local socket. */
async function socketPair(): Promise<[Socket, Socket]> {
  connections += 1;
  const path =
    process.platform === 'win32'
      ? `\\\\.\\pipe\\barometer-test-${process.pid}-${connections}`
      : join(folder, `${connections}`);
  const listening = createServer().listen(path);
  await once(listening, 'listening');
  const asking = createConnection(path);
  const [serving] = (await once(listening, 'connection')) as [Socket];
  listening.close();
  return [serving, asking];
}

let embedded: EmbeddedForTest;
let served: Database;
let remote: Database;
/** Ends all connections and refuses new ones, as if the serving process had ended. */
let hangUp: () => void;

function connect(database: Database, limits: Parameters<typeof serveConnection>[2] = {}): Database {
  let hasEnded = false;
  const sockets: Socket[] = [];
  hangUp = () => {
    hasEnded = true;
    for (const socket of sockets) socket.destroy();
  };
  return openRemote(async () => {
    if (hasEnded) return null;
    const [serving, asking] = await socketPair();
    sockets.push(serving);
    void serveConnection(database, serving, limits);
    return asking;
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barometer-remote-'));
  embedded = await embeddedForTest();
  served = embedded.database;
});
afterAll(async () => {
  await embedded.remove();
  rmSync(folder, { recursive: true });
});
afterEach(() => hangUp());
beforeEach(async () => {
  remote = connect(served);
  await served.transaction((transaction) =>
    transaction.script('drop table if exists notes; create table notes (id int primary key, word text)'),
  );
});

const words = (transaction: Transaction) => transaction.query('select id, word from notes order by id');
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);
const insert = (transaction: Transaction) => transaction.query("insert into notes values (1, 'one')");

/** A promise that the test resolves. */
function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'not refused',
    (reason: unknown) => reason,
  );
}

describe('a database of another process', () => {
  it('commits when the work resolves', async () => {
    const result = await remote.transaction(async (transaction) => {
      await transaction.query('insert into notes values ($1, $2)', [1, "it's"]);
      await transaction.script("insert into notes values (2, 'two'); insert into notes values (3, null)");
      return transaction.query('select count(*) as count from notes');
    });
    expect(result).toEqual([{ count: 3 }]);
    expect(await served.transaction(words)).toEqual([
      { id: 1, word: "it's" },
      { id: 2, word: 'two' },
      { id: 3, word: null },
    ]);
  });

  it('rolls back with the error of the work', async () => {
    const reason = new Error('rolled back');
    const attempt = remote.transaction(async (transaction) => {
      await insert(transaction);
      throw reason;
    });
    await expect(attempt).rejects.toBe(reason);
    expect(await served.transaction(words)).toEqual([]);
  });

  it('copies rows in and out, also from a part of a buffer', async () => {
    const shared = bytes('xx1,a\n2,ü\nxx');
    const out = await remote.transaction(async (transaction) => {
      const sql = 'copy notes from stdin (format csv)';
      expect(await transaction.copyIn(sql, shared.subarray(2, shared.length - 2))).toBe(2);
      return transaction.copyOut('copy (select * from notes order by id) to stdout (format csv)');
    });
    expect(text(out)).toBe('1,a\n2,ü\n');
  });

  it('applies the options of a transaction', async () => {
    const who = await remote.transaction(
      (transaction) => transaction.query('select current_user::text as who'),
      { role: 'anon' },
    );
    expect(who).toEqual([{ who: 'anon' }]);
    expect(await refusal(remote.transaction(insert, { readOnly: true }))).toMatchObject({ code: '25006' });
    const noSuchRole = { role: 'nobody_known' as 'anon' };
    expect(await refusal(remote.transaction(insert, noSuchRole))).toMatchObject({ code: '22023' });
    const slow = remote.transaction(
      (transaction) => transaction.query('select count(*) from generate_series(1, 1000000000)'),
      { statementTimeoutMs: 200 },
    );
    expect(await refusal(slow)).toMatchObject({ code: '57014' });
    expect(await remote.transaction(words)).toEqual([]);
  });

  it('throws the errors of the database with class, SQLSTATE, detail and hint', async () => {
    await remote.transaction(insert);
    const twice = await refusal(remote.transaction(insert));
    expect(twice).toBeInstanceOf(DatabaseError);
    expect(twice).toMatchObject({ code: '23505', detail: 'Key (id)=(1) already exists.', hint: null });
    const swallowed = remote.transaction(async (transaction) => {
      await insert(transaction).catch(() => undefined);
    });
    expect(await refusal(swallowed)).toMatchObject({ code: '25P02' });
    const full = new DatabaseUnavailable('full', 'The disk is full.');
    const unavailable = connect({ ...served, transaction: () => Promise.reject(full) });
    const refused = await refusal(unavailable.transaction(words));
    expect(refused).toBeInstanceOf(DatabaseUnavailable);
    expect(refused).toMatchObject({ reason: 'full', message: 'The disk is full.' });
  });

  it.each([true, false])('keeps the information that a retry can fix an error (%s)', async (transient) => {
    const away = new DatabaseUnavailable('unreachable', 'It is away.', { isTransient: transient });
    const unavailable = connect({ ...served, transaction: () => Promise.reject(away) });
    expect(isTransient(await refusal(unavailable.transaction(words)))).toBe(transient);
  });

  it('isolates concurrent transactions', async () => {
    const counts = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        remote.transaction(async (transaction) => {
          await transaction.query('insert into notes values ($1, null)', [at]);
          const rows = await transaction.query('select id from notes');
          await transaction.query('delete from notes where id = $1', [at]);
          return rows.length;
        }),
      ),
    );
    expect(counts).toEqual(Array(6).fill(1));
  });

  it('refuses a statement after the end of its transaction', async () => {
    const escaped: Transaction[] = [];
    await remote.transaction(async (transaction) => {
      escaped.push(transaction);
    });
    await expect(escaped[0]?.query('select 1')).rejects.toThrow('This transaction has ended.');
  });

  it('vacuums', async () => {
    await remote.vacuum?.();
  });

  it('sends messages longer than a packet in both directions', async () => {
    const long = 'x'.repeat(3_000_000);
    const result = await remote.transaction((transaction) =>
      transaction.query('select $1::text as word, length($1) as length', [long]),
    );
    expect(result).toEqual([{ word: long, length: long.length }]);
  });
});

describe('a connection with invalid messages', () => {
  it.each<[string, Buffer]>([
    ['a length above the limit', Buffer.from('ffffffff00', 'hex')],
    ['a value that cannot be deserialized', Buffer.from('00000004deadbeef', 'hex')],
    ['a value that is no request', Buffer.concat([Buffer.from('00000004', 'hex'), serialize(7)])],
  ])('is closed after %s', async (_, sent) => {
    const [serving, asking] = await socketPair();
    void serveConnection(served, serving);
    const closed = once(asking.resume(), 'close');
    asking.write(sent);
    await closed;
    expect(await remote.transaction(words)).toEqual([]);
  });
});

describe('the end of a process', () => {
  it('rolls back its transaction, so that the next transaction can run', async () => {
    const attempt = remote.transaction(async (transaction) => {
      await insert(transaction);
      hangUp();
      await transaction.query('select 1');
    });
    expect(await refusal(attempt)).toMatchObject({
      name: 'DatabaseUnavailable',
      reason: 'lost',
      message:
        'The process that had the database open stopped before the command finished. Run the command again.',
    });
    expect(await served.transaction(words)).toEqual([]);
    expect(await refusal(remote.transaction(words))).toMatchObject({ reason: 'lost' });
  });

  it('cancels a transaction that has not begun', async () => {
    const late = served.transaction(async () => {
      const waiting = refusal(remote.transaction(insert));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      hangUp();
      return waiting;
    });
    expect(await late).toMatchObject({ reason: 'lost' });
    expect(await served.transaction(words)).toEqual([]);
  });

  it('refuses transactions after `close`', async () => {
    await remote.close();
    expect(await refusal(remote.transaction(words))).toMatchObject({ reason: 'closed' });
    expect(await served.transaction(words)).toEqual([]);
  });
});

it('closes a connection without a request', async () => {
  const [serving, asking] = await socketPair();
  void serveConnection(served, serving, { idleMs: 20 });
  await once(asking.resume(), 'close');
});

describe('a process that hangs in a transaction', () => {
  it('blocks others for a limited time and commits no change', async () => {
    const hanging = connect(served, { idleMs: 20 });
    const [begun, paused] = [signal(), signal()];
    const late = refusal(
      hanging.transaction(async (transaction) => {
        begun.resolve();
        await transaction.query("insert into notes select 1, 'one' from pg_sleep(0.1)");
        await paused.promise;
      }),
    );
    await begun.promise;
    // Waits for the end of the other transaction: the database has one session.
    expect(await served.transaction(words)).toEqual([]);
    paused.resolve();
    expect(await late).toMatchObject({
      name: 'DatabaseUnavailable',
      message: 'The transaction was idle for 0.02 seconds and was rolled back. Run the command again.',
    });
    expect(await hanging.transaction(words)).toEqual([]);
  });
});
