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

/** Listens to a channel and collects its events. */
const listen = async (channel: string) => {
  const events: string[] = [];
  const stop = await database.listen?.(channel, {
    notified: (payload) => events.push(payload),
    lost: () => events.push('lost'),
    regained: () => events.push('regained'),
  });
  return { events, stop };
};
const notify = (transaction: Transaction, channel: string, payload: string) =>
  transaction.query('select pg_notify($1, $2)', [channel, payload]);

it('notifies in the order of the commits, before each commit resolves', async () => {
  const channel = 'Odd "name"';
  const [one, other] = [await listen(channel), await listen(channel)];
  const elsewhere = await listen('elsewhere');
  const during: string[] = [];
  await database.transaction(async (transaction) => {
    await notify(transaction, channel, 'first');
    during.push(...one.events);
  });
  await database
    .transaction(async (transaction) => {
      await notify(transaction, channel, 'rolled back');
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await database.transaction((transaction) => notify(transaction, channel, 'second'));
  expect(one.events).toEqual(['first', 'second']);
  expect(other.events).toEqual(['first', 'second']);
  expect(during).toEqual([]);
  expect(elsewhere.events).toEqual([]);
  for (const { stop } of [one, other, elsewhere]) stop?.();
});

it('notifies no removed listener', async () => {
  const [one, other] = [await listen('news'), await listen('news')];
  one.stop?.();
  await database.transaction((transaction) => notify(transaction, 'news', 'late'));
  expect(other.events).toEqual(['late']);
  expect(one.events).toEqual([]);
  other.stop?.();
});

it('listens again after its worker was lost', async () => {
  const { events, stop } = await listen('news');
  const slow = database.transaction((transaction) => transaction.query(SLOW), { statementTimeoutMs: 50 });
  await expect(slow).rejects.toMatchObject({ code: '57014' });
  // After a timeout, the worker is replaced without any other use of the database.
  await expect.poll(() => events).toEqual(['lost', 'regained']);
  await database.transaction((transaction) => notify(transaction, 'news', 'heard'));
  expect(events).toEqual(['lost', 'regained', 'heard']);
  stop?.();
});
