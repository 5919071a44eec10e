import { afterEach, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { checkLeases, checkScheduledRuns } from './check-runs.ts';

const NOW = Date.parse('2026-11-20T22:00:00Z');
const REASON = 'The source is unreachable.';

describe('the schedule', () => {
  const { database, run, script } = databaseOfTheseTests();
  afterEach(() => script('delete from collector.runs; delete from operations.leases'));

  /** Records a run of a period of 20 November. */
  const add = (at: string, status: string, { isScheduled = true } = {}) =>
    run(
      `insert into collector.runs (job, source, period, is_scheduled, status, started_at, error)
       values ('backfill', 'csv', $1, $2, $3, $1, case $3 when 'failed' then '${REASON}' end)`,
      [`2026-11-20T${at}:00Z`, isScheduled, status],
    );
  const lines = () =>
    database.transaction(async (transaction) => [
      ...linesOf(await checkLeases(transaction, subjectOf())),
      ...linesOf(await checkScheduledRuns(transaction, subjectOf({}, NOW))),
    ]);
  const LAST = 'The last scheduled run (collect, 2026-11-20T21:30:00.000Z)';
  const FAILURES = 'failed in the last seven days. "runs list" prints the reasons.';

  it('needs a run', async () => {
    expect(await lines()).toEqual(['note No scheduled run took place in the last seven days.']);
  });

  it('is no fault if the newest run succeeded after a failed run', async () => {
    await add('20:00', 'failed');
    for (const status of ['failed', 'stopped', 'succeeded', 'failed']) await add('21:30', status);
    expect(await lines()).toEqual([
      `fine ${LAST} succeeded at attempt 3.`,
      `note 1 of 2 scheduled runs ${FAILURES}`,
    ]);
  });

  it('counts a run on request only if it completes the period', async () => {
    await add('21:30', 'failed', { isScheduled: false });
    await add('21:30', 'failed');
    expect((await lines())[0]).toBe(`note ${LAST} failed: ${REASON}`);
    await add('21:30', 'succeeded', { isScheduled: false });
    expect(await lines()).toEqual([`fine ${LAST} succeeded at attempt 2.`]);
  });

  it('is a fault if two runs in a row failed', async () => {
    await add('19:00', 'succeeded');
    await add('21:30', 'failed');
    expect((await lines())[0]).toBe(`note ${LAST} failed: ${REASON}`);
    await add('20:00', 'failed');
    expect(await lines()).toEqual([
      `wrong ${LAST} failed: ${REASON}`,
      `note 2 of 3 scheduled runs ${FAILURES}`,
    ]);
  });

  it.each(['running', 'stopped'])(
    'has a %s run that is running only while its lease lasts',
    async (status) => {
      await add('21:30', status);
      const ended = `note ${LAST} did not finish, because its process ended. The next run takes over.`;
      expect(await lines()).toEqual([ended]);
      await run(`insert into operations.leases values
      ('collector', 'serve on host', '2026-11-20T21:30:00Z', now() + interval '20 seconds')`);
      expect(await lines()).toEqual([
        'note The collector is running: serve on host, since 2026-11-20T21:30:00.000Z.',
        `fine ${LAST} is running.`,
      ]);
      await run("update operations.leases set held_until = now() - interval '1 second'");
      expect(await lines()).toEqual([
        'note The collector that serve on host started at 2026-11-20T21:30:00.000Z did not finish. Its lease has expired, so the next run takes over.',
        ended,
      ]);
    },
  );
});
