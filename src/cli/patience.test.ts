import { expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { createLog } from '#server/log.ts';
import { createPatience } from './patience.ts';

const AWAY = new DatabaseUnavailable('unreachable', 'Postgres cannot be reached (ECONNREFUSED).');

function setUp(stopAfter = Number.POSITIVE_INFINITY) {
  const lines: { event: string; seconds?: number }[] = [];
  const stopping = new AbortController();
  const pauses: number[] = [];
  const patiently = createPatience({
    log: createLog({ write: (line) => lines.push(JSON.parse(line)), clock: () => 0, format: 'json' }),
    signal: stopping.signal,
    wait: async (ms) => {
      pauses.push(ms);
      if (pauses.length === stopAfter) stopping.abort(new Error('Stopped.'));
    },
  });
  return { lines, pauses, patiently };
}

it('waits longer and longer for a database that is away, and says so', async () => {
  const { lines, pauses, patiently } = setUp();
  let tries = 0;
  const opened = await patiently(async () => {
    tries += 1;
    if (tries <= 7) throw AWAY;
    return 'opened';
  });
  expect(opened).toBe('opened');
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(lines.map(({ event }) => event)).toEqual([
    ...Array(7).fill('database awaited'),
    'database is there',
  ]);
  expect(lines[1]).toMatchObject({ level: 'warn', seconds: 1, reason: AWAY.message });
});

it('says nothing of one that is there, and throws what waiting does not mend', async () => {
  const { lines, patiently } = setUp();
  expect(await patiently(async () => 1)).toBe(1);
  const refused = new DatabaseUnavailable('unreachable', 'refused', { isTransient: false });
  await expect(patiently(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(lines).toEqual([]);
});

it('waits no longer once the process is to end', async () => {
  const { pauses, patiently } = setUp(2);
  await expect(patiently(() => Promise.reject(AWAY))).rejects.toThrow('Stopped.');
  expect(pauses).toHaveLength(2);
});
