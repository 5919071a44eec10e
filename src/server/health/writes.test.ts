import { describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { DatabaseError } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { failingDatabase } from '#tests/support/gate-server.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import { watchWrites } from './readiness.ts';

const databaseError = (code: string) => new DatabaseError({ message: 'refused', code });

function watched() {
  const state = failingDatabase(stubDatabase(async () => []));
  return { state, ...watchWrites(state.database) };
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
    const { state, database, canWrite } = watched();
    state.failure = error;
    await expect(database.transaction(async () => 1, { durable: true })).rejects.toBe(error);
    expect(await canWrite()).toBe(expected);
  });

  it('is writable again after a successful write', async () => {
    const { state, database, canWrite } = watched();
    state.failure = databaseError('53100');
    await expect(database.transaction(async () => 1, { durable: true })).rejects.toThrow();
    state.failure = null;
    await database.transaction(async () => 1, { durable: true });
    const before = state.transactions;
    expect(await canWrite()).toBe(true);
    expect(state.transactions).toBe(before);
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
