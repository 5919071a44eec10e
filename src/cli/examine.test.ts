import { expect, it } from 'vitest';
import type { Database, Row, Transaction } from '#database/port.ts';
import { readEnvironment } from './environment.ts';
import { examine } from './examine.ts';

const NOW = Date.parse('2026-11-20T22:00:00Z');
const ENVIRONMENT = readEnvironment({});

/** A database whose every table's newest row was made at an instant. */
function databaseOf(at: string): Database {
  const rowOf = (sql: string): Row =>
    sql.includes('collector.runs')
      ? { job: 'collect', at, status: 'succeeded', refused: 0, error: null }
      : { at, source: 'simulated' };
  const query = async (sql: string) => [rowOf(sql)];
  const transaction = { query } as unknown as Transaction;
  return {
    engine: 'embedded',
    transaction: (work) => work(transaction),
    close: async () => undefined,
  };
}

const wrongWith = async (at: string) =>
  (await examine(databaseOf(at), ENVIRONMENT, NOW)).filter(({ state }) => state === 'wrong');

it('finds nothing wrong with the newest closed session', async () => {
  expect(await wrongWith('2026-11-20T21:00:00.000Z')).toEqual([]);
});

it('finds rows that are sessions old, and rows of a time that is yet to come', async () => {
  expect((await wrongWith('2026-11-13T21:00:00.000Z'))[0]?.text).toMatch(/5 sessions old: run collect\.$/);
  expect((await wrongWith('2038-11-19T21:00:00.000Z'))[0]?.text).toMatch(
    /yet to come: set this machine's clock/,
  );
});
