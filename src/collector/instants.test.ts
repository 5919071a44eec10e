import { describe, expect, it } from 'vitest';
import { backfill, collect } from '#tests/support/collect.ts';
import { emptyCollected } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { smallSource } from '#tests/support/small-source.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

describe('a computer whose clock differs from that of the database', () => {
  const { database, run: query } = databaseOfTheseTests();
  const batches = () => query('select created_at from market_metrics order by created_at');

  it.each([
    ['an hour', 1.05 * HOUR, '63 minutes'],
    ['a year', YEAR, '365 days'],
  ])('collects nothing if it is %s ahead, and names both clocks [R23] [T12]', async (_, ahead, words) => {
    const now = Date.now() + ahead;
    const source = smallSource();
    const message = `This computer's clock (${new Date(now).toISOString()}) is ${words} ahead of the database's (`;
    for (const job of [collect, backfill]) {
      await expect(job({ database, source, now: () => now })).rejects.toThrow(message);
    }
    expect(source.readAt).toEqual([]);
    expect(await batches()).toEqual([]);
    expect(await query('select * from collector.holding')).toEqual([]);
    const runs = await query<{ error: string }>("select status, error from collector.runs where error <> ''");
    expect(runs.slice(-2)).toEqual(
      Array(2).fill({ status: 'failed', error: expect.stringContaining(message) }),
    );
  });

  it('can run while its clock is less than an hour ahead', async () => {
    const now = Date.now() + 0.95 * HOUR;
    await collect({ database, source: smallSource(), now: () => now });
    expect(await batches()).not.toEqual([]);
  });

  it('removes no row while its clock is a year behind', async () => {
    await emptyCollected(database);
    // Otherwise the history of the publications refuses the second run.
    await acceptAnyTime(database);
    const now = Date.now();
    await collect({ database, source: smallSource(), now: () => now });
    const before = await batches();
    await collect({ database, source: smallSource(), now: () => now - YEAR });
    expect((await batches()).slice(-before.length)).toEqual(before);
  });
});
