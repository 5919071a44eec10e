import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';

let embedded: EmbeddedForTest;
let database: Database;
beforeAll(async () => {
  embedded = await embeddedForTest();
  database = embedded.database;
});
afterAll(() => embedded.remove());

async function replaceAll(): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.query('delete from collector.series');
    await transaction.query(
      `insert into collector.series select 'n', date '2000-01-01' + day, 1 from generate_series(1, 5000) day`,
    );
    const [row] = await transaction.query<{ bytes: number }>(
      "select pg_total_relation_size('collector.series')::int as bytes",
    );
    return row?.bytes ?? 0;
  });
}

it('frees the space of deleted rows for new rows', async () => {
  const first = await replaceAll();
  for (let round = 0; round < 8; round += 1) {
    await database.vacuum?.();
    await replaceAll();
  }
  expect(await replaceAll()).toBeLessThan(3 * first);
});

it('waits for running transactions', async () => {
  const [, bytes] = await Promise.all([database.vacuum?.(), replaceAll(), database.vacuum?.()]);
  expect(bytes).toBeGreaterThan(0);
});
