import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { examineFutureRows } from './examine-future-rows.ts';

const HOUR = 3_600_000;
let embedded: EmbeddedForTest;
let database: Database;

beforeAll(async () => {
  embedded = await embeddedForTest();
  database = embedded.database;
});
afterAll(() => embedded.remove());

const told = async (now = Date.now()) =>
  (await database.transaction((transaction) => examineFutureRows(transaction, now))).map(
    ({ state, text }) => `${state} ${text}`,
  );

it('says nothing of rows within the hour that is tolerated', async () => {
  await database.transaction((transaction) =>
    transaction.query("insert into market_metrics (created_at) values (now() + interval '50 minutes')"),
  );
  expect(await told()).toEqual([]);
});

it('names hidden rows by table, number and dates, and says how to get rid of them', async () => {
  await writeFutureRows(
    database,
    `insert into market_metrics (source, created_at)
     values ('live', '2077-05-01T20:00:00Z'), (null, '2077-05-02T20:00:00Z')`,
    "insert into input_origins (input, source, created_at) values ('vix_close', 'live', '2077-05-01T20:00:00Z')",
  );
  expect(await told()).toEqual([
    "wrong market_metrics has 2 rows dated later than the database's clock (2077-05-01T20:00:00.000Z to 2077-05-02T20:00:00.000Z), not shown to anybody. Delete them: delete from public.market_metrics where created_at > now() + interval '1 hour';",
    "wrong input_origins has 1 row dated later than the database's clock (2077-05-01T20:00:00.000Z), not shown to anybody. The next run of collect removes them.",
  ]);
});

it("names both clocks where this computer's is more than an hour ahead", async () => {
  expect((await told(Date.now() + 24 * HOUR))[0]).toMatch(
    /^wrong This computer's clock \(\d{4}-\S+Z\) is 24 hours ahead of the database's \(\d{4}-\S+Z\): set the wrong one right/,
  );
});
