import { expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { collectOverTime, examinePublished } from '#tests/support/runs-over-time.ts';

const { database } = databaseOfTheseTests();
const HOUR = 3_600_000;
const market = { members: fakeMembers(10), first: '2023-03-01' };
const stretch = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
/**
 * Periods in which a server runs: around both clock changes of New York, Christmas with its half-day, and a day of
 * mourning. In between it is down for hours, days and weeks.
 */
const STRETCHES = [
  stretch('2024-11-01T19:50:00Z', '2024-11-02T02:00:00Z'),
  stretch('2024-11-04T14:50:00Z', '2024-11-04T15:10:00Z'),
  stretch('2024-11-04T21:20:00Z', '2024-11-05T02:00:00Z'),
  stretch('2024-12-24T17:50:00Z', '2024-12-24T22:10:00Z'),
  stretch('2024-12-26T14:50:00Z', '2024-12-26T15:10:00Z'),
  stretch('2025-01-08T21:20:00Z', '2025-01-10T15:10:00Z'),
  stretch('2025-03-07T21:20:00Z', '2025-03-08T02:00:00Z'),
  stretch('2025-03-10T13:50:00Z', '2025-03-10T14:10:00Z'),
  stretch('2025-03-10T20:20:00Z', '2025-03-11T00:10:00Z'),
] as const;

/** One provider fails in one of ten hours. The providers take turns. */
function failing(now: number) {
  const hour = Math.floor(now / HOUR);
  return hour % 10 === 5 ? (PROVIDER_NAMES[Math.floor(hour / 10) % PROVIDER_NAMES.length] ?? null) : null;
}

it('leaves no gap, duplicate or shifted session around clock changes, half-days and closures', async () => {
  const runs = await collectOverTime(database, STRETCHES, { ...market, failing });
  const { from } = STRETCHES[0];
  const { faults, ...sessions } = await examinePublished(database, runs, { ...market, from });
  expect(faults).toEqual([]);
  expect(sessions).toMatchObject({ sessionsExpected: 86, sessionsPresent: 86 });
  expect(runs.done).toBe(new Set(runs.due).size);
  // A backfill is expected at the start, and after more than ten missed sessions, because a run only makes up for
  // seven.
  expect(runs.fills).toBe(3);
});
