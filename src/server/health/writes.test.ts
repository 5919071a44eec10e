import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { watchWrites } from './writes.ts';

const databaseError = (code: string) => new DatabaseError({ message: 'refused', code });

/** A database in which every transaction fails with `failure.error`, if that error is set. */
function failingDatabase() {
  const failure: { error: Error | null; count: number } = { error: null, count: 0 };
  const database = {
    transaction: async () => {
      failure.count += 1;
      if (failure.error) throw failure.error;
    },
  } as unknown as Database;
  return { failure, ...watchWrites(database) };
}

describe('a database with watched writes', () => {
  it.each([
    ['a full disk', databaseError('53100'), false],
    ['an I/O error', databaseError('58030'), false],
    ['a database that accepts reads only', databaseError('25006'), false],
    ['a database that is away', new DatabaseUnavailable('unreachable', 'It is away.'), false],
    ['an address that is there already', databaseError('23505'), true],
    ['too many subscriptions', databaseError('PT429'), true],
  ])('after %s (%s) accepts writes: %s', async (_, error, expected) => {
    const { failure, database, canWrite } = failingDatabase();
    failure.error = error;
    await expect(database.transaction(async () => 1, { durable: true })).rejects.toBe(error);
    expect(await canWrite()).toBe(expected);
  });

  it('is writable again after a successful write', async () => {
    const { failure, database, canWrite } = failingDatabase();
    failure.error = databaseError('53100');
    await expect(database.transaction(async () => 1, { durable: true })).rejects.toThrow();
    failure.error = null;
    await database.transaction(async () => 1, { durable: true });
    const before = failure.count;
    expect(await canWrite()).toBe(true);
    expect(failure.count).toBe(before);
  });
});

describe('over Postgres', () => {
  const { database: postgres } = databaseOfTheseTests();

  it('reports no failure after a successful write', async () => {
    const { database, canWrite } = watchWrites(postgres);
    const full = async () => {
      throw databaseError('53100');
    };
    await expect(database.transaction(full, { durable: true })).rejects.toThrow();
    expect(await canWrite()).toBe(true);
    // Checks twice, because the second check reuses the connection of the first.
    await expect(database.transaction(full, { durable: true })).rejects.toThrow();
    expect(await canWrite()).toBe(true);
  });
});
