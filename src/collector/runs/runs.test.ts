import { afterEach, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { newestRuns, readScheduleState } from './runs.ts';

const PERIOD = Date.parse('2026-11-20T15:00:00Z');
const MINUTE = 60_000;
const { database, run } = databaseOfTheseTests();
afterEach(() => run('delete from collector.runs'));

/** Records a run of the period that starts after some minutes and takes one minute. */
const add = (status: string, minutes: number, { isScheduled = true } = {}) => {
  const [start, end] = [minutes, minutes + 1].map((at) => new Date(PERIOD + at * MINUTE).toISOString());
  return run(
    `insert into collector.runs (job, source, period, is_scheduled, status, started_at, finished_at)
     values ('collect', 'csv', $1, $2, $3, $4, $5)`,
    [new Date(PERIOD).toISOString(), isScheduled, status, start ?? null, end ?? null],
  );
};
const UNTRIED = { done: null, failedAt: null, attempts: 0, triedAt: null };

it('a period is tried until a run succeeds, and waits only after a failure', async () => {
  expect(await readScheduleState(database, PERIOD)).toEqual(UNTRIED);
  await add('failed', 1);
  const failed = { ...UNTRIED, attempts: 1, triedAt: PERIOD + MINUTE, failedAt: PERIOD + 2 * MINUTE };
  expect(await readScheduleState(database, PERIOD)).toEqual(failed);
  await add('stopped', 4);
  const stopped = { ...UNTRIED, attempts: 2, triedAt: PERIOD + 4 * MINUTE };
  expect(await readScheduleState(database, PERIOD)).toEqual(stopped);
  await add('succeeded', 6);
  expect(await readScheduleState(database, PERIOD)).toEqual({ ...stopped, done: PERIOD });
  expect(await readScheduleState(database, PERIOD + 60 * MINUTE)).toEqual({ ...UNTRIED, done: PERIOD });
  expect(await readScheduleState(database, PERIOD - 1)).toEqual(UNTRIED);
});

it('a run on request is no attempt at the period, but completes it', async () => {
  await add('failed', 1, { isScheduled: false });
  expect(await readScheduleState(database, PERIOD)).toEqual(UNTRIED);
  await add('succeeded', 2, { isScheduled: false });
  expect(await readScheduleState(database, PERIOD)).toEqual({ ...UNTRIED, done: PERIOD });
});

it('the list of runs shows the period of scheduled runs only, and a stopped run as failed', async () => {
  await add('stopped', 1);
  await add('succeeded', 2, { isScheduled: false });
  expect(await database.transaction((transaction) => newestRuns(transaction, 2))).toMatchObject([
    { status: 'succeeded', period: null, seconds: 60 },
    { status: 'failed', period: new Date(PERIOD).toISOString() },
  ]);
});
