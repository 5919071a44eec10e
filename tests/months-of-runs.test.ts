import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { type EmbeddedForTest, embeddedForTest } from './support/embedded.ts';
import { fakeMembers } from './support/fake-providers.ts';
import { collectOverTime } from './support/months-of-runs.ts';
import { examinePublished } from './support/published-faults.ts';

let embedded: EmbeddedForTest;
beforeAll(async () => {
  embedded = await embeddedForTest();
});
afterAll(() => embedded.remove());

const HOUR = 3_600_000;
const market = { members: fakeMembers(10), first: '2023-03-01' };
const stretch = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
/** New York's clocks change, half-days, holidays and a day of mourning; in between the server is down for weeks. */
const STRETCHES = [
  stretch('2024-11-01T17:00:00Z', '2024-11-05T02:00:00Z'),
  stretch('2024-11-27T20:00:00Z', '2024-12-02T16:00:00Z'),
  stretch('2024-12-24T13:00:00Z', '2024-12-27T02:00:00Z'),
  stretch('2025-01-08T20:00:00Z', '2025-01-10T22:00:00Z'),
  stretch('2025-03-07T19:00:00Z', '2025-03-11T02:00:00Z'),
] as const;

/** One hour in ten somebody fails, each in turn. */
function failing(now: number) {
  const hour = Math.floor(now / HOUR);
  return hour % 10 === 5 ? (PROVIDER_NAMES[Math.floor(hour / 10) % PROVIDER_NAMES.length] ?? null) : null;
}

it('leaves no gap, no duplicate and no session off by one where the calendar is odd', async () => {
  const runs = await collectOverTime(embedded.database, STRETCHES, { ...market, failing });
  const { from } = STRETCHES[0];
  const { faults, ...sessions } = await examinePublished(embedded.database, runs, { ...market, from });
  expect(faults).toEqual([]);
  expect(sessions).toMatchObject({ sessionsExpected: 86, sessionsPresent: 86 });
  expect(runs.done).toBe(runs.due.length);
  // At the beginning, and where more than ten sessions were missed; seven are made up for by a run.
  expect(runs.fills).toBe(4);
}, 180_000);
