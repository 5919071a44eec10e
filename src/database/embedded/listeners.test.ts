import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import type { Database, Transaction } from '../port.ts';

const SLOW = 'select count(*) from generate_series(1, 1000000000)';

let embedded: EmbeddedForTest;
let database: Database;
beforeAll(async () => {
  embedded = await embeddedForTest();
  database = embedded.database;
});
afterAll(() => embedded.remove());

/** Listens to a channel; `told` collects its events. */
const hear = async (channel: string) => {
  const told: string[] = [];
  const stop = await database.listen?.(channel, {
    notified: (payload) => told.push(payload),
    lost: () => told.push('lost'),
    regained: () => told.push('regained'),
  });
  return { told, stop };
};
const notify = (transaction: Transaction, channel: string, payload: string) =>
  transaction.query('select pg_notify($1, $2)', [channel, payload]);

it('notifies in the order of the commits, before each commit resolves', async () => {
  const channel = 'Odd "name"';
  const [one, other] = [await hear(channel), await hear(channel)];
  const elsewhere = await hear('elsewhere');
  const during: string[] = [];
  await database.transaction(async (transaction) => {
    await notify(transaction, channel, 'first');
    during.push(...one.told);
  });
  await database
    .transaction(async (transaction) => {
      await notify(transaction, channel, 'given up');
      throw new Error('given up');
    })
    .catch(() => undefined);
  await database.transaction((transaction) => notify(transaction, channel, 'second'));
  expect(one.told).toEqual(['first', 'second']);
  expect(other.told).toEqual(['first', 'second']);
  expect(during).toEqual([]);
  expect(elsewhere.told).toEqual([]);
  for (const { stop } of [one, other, elsewhere]) stop?.();
});

it('notifies no listener that has stopped', async () => {
  const [one, other] = [await hear('news'), await hear('news')];
  one.stop?.();
  await database.transaction((transaction) => notify(transaction, 'news', 'late'));
  expect(other.told).toEqual(['late']);
  expect(one.told).toEqual([]);
  other.stop?.();
});

it('listens again by itself after its worker was lost', async () => {
  const { told, stop } = await hear('news');
  const slow = database.transaction((transaction) => transaction.query(SLOW), { statementTimeoutMs: 50 });
  await expect(slow).rejects.toMatchObject({ code: '57014' });
  // Without any other use of the database.
  await expect.poll(() => told).toEqual(['lost', 'regained']);
  await database.transaction((transaction) => notify(transaction, 'news', 'heard'));
  expect(told).toEqual(['lost', 'regained', 'heard']);
  stop?.();
});
