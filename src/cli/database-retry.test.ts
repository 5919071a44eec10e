import { expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { createLog } from '#server/log.ts';
import { createDatabaseRetry } from './open-database.ts';

const UNREACHABLE = new DatabaseUnavailable('unreachable', 'Postgres cannot be reached (ECONNREFUSED).');

function setUp(stopAfter = Number.POSITIVE_INFINITY) {
  const lines: { event: string; seconds?: number }[] = [];
  const stopping = new AbortController();
  const pauses: number[] = [];
  let reported = 0;
  const retry = createDatabaseRetry({
    log: createLog({ write: (line) => lines.push(JSON.parse(line)), clock: () => 0, format: 'json' }),
    signal: stopping.signal,
    onPause: () => {
      reported += 1;
    },
    wait: async (ms) => {
      pauses.push(ms);
      if (pauses.length === stopAfter) stopping.abort(new Error('Stopped.'));
    },
  });
  return { lines, pauses, retry, reported: () => reported };
}

it('retries with growing, logged pauses while the database is unreachable', async () => {
  const { lines, pauses, retry, reported } = setUp();
  let attempts = 0;
  const opened = await retry(async () => {
    attempts += 1;
    if (attempts <= 7) throw UNREACHABLE;
    return 'opened';
  });
  expect(opened).toBe('opened');
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(reported()).toBe(7);
  expect(lines.map(({ event }) => event)).toEqual([
    ...Array(7).fill('waiting for the database'),
    'database available',
  ]);
  expect(lines[1]).toMatchObject({ level: 'warn', seconds: 1, reason: UNREACHABLE.message });
});

it('throws an error that no retry can fix, without a log line', async () => {
  const { lines, retry } = setUp();
  expect(await retry(async () => 1)).toBe(1);
  const refused = new DatabaseUnavailable('unusable', 'refused');
  await expect(retry(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(lines).toEqual([]);
});

it('stops waiting for the database when the process must end', async () => {
  const { pauses, retry } = setUp(2);
  await expect(retry(() => Promise.reject(UNREACHABLE))).rejects.toThrow('Stopped.');
  expect(pauses).toHaveLength(2);
});
