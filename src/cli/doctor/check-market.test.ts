import { expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { marketFolder } from '#tests/support/market-folder.ts';
import { checkFutureRows, checkGrants, checkShownSource, checkTables } from './check-market.ts';
import type { DatabaseCheck } from './finding.ts';

const HOUR = 3_600_000;
const { database, run } = databaseOfTheseTests();

const checked = async (check: DatabaseCheck, now: number, values?: Record<string, string>) =>
  linesOf(await database.transaction((transaction) => check(transaction, subjectOf(values, now))));

const futureRows = (now = Date.now()) => checked(checkFutureRows, now);

it.each([
  ['select 1', null],
  ['revoke select on public.market_metrics from anon', /rights to market_metrics\. After a restore/],
  [
    'revoke insert (email, is_active, alerts) on public.email_subscribers from anon',
    /to email_subscribers\./,
  ],
  ['alter role anon rename to visitors', /to market_indices, .*, signal_grades, .*, email_subscribers\./],
])('names the tables without rights for visitors after: %s', async (change, finding) => {
  const lines = await database.transaction(async (transaction) => {
    await transaction.script(`savepoint before_change; ${change}`);
    const found = linesOf(await checkGrants(transaction, subjectOf()));
    await transaction.script('rollback to before_change');
    return found;
  });
  expect(lines).toEqual(finding === null ? [] : [expect.stringMatching(finding)]);
});

it("accepts rows up to an hour ahead of the database's clock", async () => {
  await run("insert into market_metrics (created_at) values (now() + interval '50 minutes')");
  expect(await futureRows()).toEqual([]);
});

it('reports hidden future rows with table, number, dates and the statement that removes them [R23]', async () => {
  await writeFutureRows(
    database,
    `insert into market_metrics (source, created_at)
     values ('live', '2077-05-01T20:00:00Z'), (null, '2077-05-02T20:00:00Z')`,
    "insert into input_origins (input, source, created_at) values ('vix_close', 'live', '2077-05-01T20:00:00Z')",
  );
  expect(await futureRows()).toEqual([
    expect.stringMatching(
      /^wrong The newest rows are dated 2077-05-01T20:00:00.000Z, later than the clock \(\d{4}-\S+Z\)\. If the clock is behind/,
    ),
    "wrong market_metrics has 2 rows dated later than the database's clock (2077-05-01T20:00:00.000Z to 2077-05-02T20:00:00.000Z). They are hidden. Delete them: delete from public.market_metrics where created_at > now() + interval '1 hour';",
    'wrong input_origins has 1 row dated later than the database\'s clock (2077-05-01T20:00:00.000Z). They are hidden. If the clock is right, run "collect --remove-future".',
  ]);
});

it('reports the clocks of computer and database if they differ by more than an hour', async () => {
  expect((await futureRows(Date.now() + 24 * HOUR))[0]).toMatch(
    /^wrong This computer's clock \(\d{4}-\S+Z\) is 24 hours ahead of the database's \(\d{4}-\S+Z\)\. Correct the wrong clock/,
  );
});

it.each([
  ['live', 'simulated', 'wrong MARKET_SOURCE is live, but the page shows simulated data: run backfill.'],
  ['csv', 'live', 'wrong MARKET_SOURCE is csv, but the page shows live data: run backfill.'],
  ['live', 'replay', 'wrong MARKET_SOURCE is live, but the page shows replay data: run backfill.'],
  [
    'simulated',
    'csv',
    'wrong MARKET_SOURCE is simulated, but the page shows csv data: set MARKET_SOURCE to csv.',
  ],
  ['live', 'live', null],
  ['csv', 'replay', null],
  ['live', null, null],
])('compares MARKET_SOURCE %s with rows of source %s', async (configured, shown, finding) => {
  // The row of another source has a time in the future, so the page does not show it. It must not count.
  await run('delete from market_metrics');
  await writeFutureRows(
    database,
    "insert into market_metrics (source, created_at) values ('simulated', '2077-05-01T20:00:00Z')",
    `insert into market_metrics (source, created_at) values (${shown === null ? 'null' : `'${shown}'`}, '2026-11-20T21:00:00Z')`,
  );
  const findings = await checked(checkShownSource, Date.now(), { MARKET_SOURCE: configured });
  expect(findings).toEqual(finding === null ? [] : [finding]);
});

it('skips the comparison of the source with an empty table', async () => {
  await run('delete from market_metrics');
  expect(await checked(checkShownSource, Date.now(), { MARKET_SOURCE: 'live' })).toEqual([]);
});

it('names the CSV files to add for an empty table', async () => {
  await run('delete from market_metrics');
  const { dir, remove } = marketFolder({ 'sp500.csv': '', 'vix.csv': '', 'indices.csv.gz': '' });
  const csv = await checked(checkTables, Date.now(), { MARKET_SOURCE: 'csv', MARKET_CSV_DIR: dir });
  remove();
  expect(csv.find((text) => text.includes('fear_greed_index'))).toMatch(
    /^wrong fear_greed_index is empty: add put-call\.csv, nyse-advance-decline\.csv, .* to MARKET_CSV_DIR, then run backfill\./,
  );
  expect(csv).toContain('wrong market_metrics is empty: run backfill.');
  expect(await checked(checkTables, Date.now())).toContain('wrong market_indices is empty: run backfill.');
});

it.each([
  ['csv', 'add newer rows to the files in MARKET_CSV_DIR, then run collect.'],
  ['live', 'run collect.'],
])('advises how to update old rows of source %s', async (source, advice) => {
  await run('delete from market_metrics');
  await run(`insert into market_metrics (source, created_at) values ('${source}', '2026-11-13T21:00:00Z')`);
  expect(await checked(checkTables, Date.parse('2026-11-23T12:00:00Z'))).toContain(
    `wrong market_metrics: newest of session 2026-11-13, from ${source}, 5 sessions behind: ${advice}`,
  );
});
