import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError, type Row, type TransactionOptions } from '#database/port.ts';
import { QueryError } from '#queries/query-error.ts';
import { readFirst, type SendRead } from '#queries/read-rows.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import { createSnapshotReads } from './read.ts';

const RESULT = { body: '[{"market_exposure":54}]', rows: 1, total: null };

const READ = { table: 'market_metrics', columns: 'market_exposure', limit: 1 } as const;
const exposure = async (send: SendRead) => (await readFirst(send, READ))?.market_exposure;

/** A database that counts its statements. `execute` returns the result of each statement. */
function fakeDatabase(execute: () => Promise<Row>) {
  const opened: TransactionOptions[] = [];
  const running = { now: 0, most: 0, all: 0 };
  const stub = stubDatabase(async () => {
    running.now += 1;
    running.all += 1;
    running.most = Math.max(running.most, running.now);
    return [await execute().finally(() => (running.now -= 1))];
  });
  const database: Database = {
    ...stub,
    transaction: (work, options = {}) => {
      opened.push(options);
      return stub.transaction(work, options);
    },
  };
  return { database, opened, running };
}

/** The time limits that the code under test sets. The test makes each of them expire. */
function manualLimits(): AbortController[] {
  const limits: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    limits.push(limit);
    return limit.signal;
  });
  return limits;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a read of the page in the server', () => {
  it('is one transaction of the public role with one statement at a time', async () => {
    const { database, opened, running } = fakeDatabase(async () => RESULT);
    const inSnapshot = createSnapshotReads(database);
    const read = inSnapshot((send) => Promise.all([exposure(send), exposure(send), exposure(send)]));
    expect(await read).toEqual([54, 54, 54]);
    expect(opened).toEqual([{ role: 'anon', readOnly: true, snapshot: true, statementTimeoutMs: 5_000 }]);
    expect(running).toEqual({ now: 0, most: 1, all: 3 });
  });

  it('stops at a failed statement with its error as the cause', async () => {
    const timedOut = new DatabaseError({ message: 'canceling statement', code: '57014' });
    const { database, running } = fakeDatabase(() => Promise.reject(timedOut));
    const read = createSnapshotReads(database)((send) =>
      Promise.all([exposure(send), exposure(send), exposure(send)]),
    );
    const error = await read.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(QueryError);
    expect(error).toHaveProperty('cause', timedOut);
    expect(running.all).toBe(1);
  });

  it('rejects with QueryError while the database is unavailable', async () => {
    const gone = new DatabaseUnavailable('unreachable', 'gone');
    const { database } = fakeDatabase(async () => RESULT);
    const inSnapshot = createSnapshotReads({ ...database, transaction: () => Promise.reject(gone) });
    await expect(inSnapshot(exposure)).rejects.toMatchObject({ name: 'QueryError', cause: gone });
  });

  it('fails after its time limit', async () => {
    const limits = manualLimits();
    const { database, opened, running } = fakeDatabase(() => new Promise(() => undefined));
    // A database whose transactions never end.
    const silent: Database = {
      ...database,
      transaction: (work, options) => {
        database.transaction(work, options).catch(() => undefined);
        return new Promise(() => undefined);
      },
    };
    const inSnapshot = createSnapshotReads(silent);
    for (const count of [1, 2]) {
      const read = inSnapshot(exposure).catch((failure: unknown) => failure);
      await vi.waitFor(() => expect(running.all).toBe(count));
      for (const limit of limits) limit.abort();
      expect(await read).toBeInstanceOf(QueryError);
    }
    await expect(inSnapshot(exposure)).rejects.toThrow(QueryError);
    expect(opened).toHaveLength(2);
  });

  it('sends no statement once its time limit is over', async () => {
    const limits = manualLimits();
    const { database, running } = fakeDatabase(async () => RESULT);
    let start = () => {};
    const queued: Database = {
      ...database,
      transaction: async (work, options) => {
        await new Promise<void>((resolve) => {
          start = resolve;
        });
        return database.transaction(work, options);
      },
    };
    const read = createSnapshotReads(queued)(exposure).catch((failure: unknown) => failure);
    for (const limit of limits) limit.abort();
    expect(await read).toBeInstanceOf(QueryError);
    start();
    await new Promise(setImmediate);
    expect(running.all).toBe(0);
  });
});
