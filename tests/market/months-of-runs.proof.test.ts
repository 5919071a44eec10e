import { expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { PUBLISHED_TABLES } from '#collector/publish/row-sets.ts';
import {
  isSession,
  marketDay,
  newestClosedSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMembers, fakeValue } from '#tests/support/fake-providers.ts';
import { collectOverTime } from '#tests/support/runs-over-time.ts';

const { database, run } = databaseOfTheseTests();
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

function isWithinSession(at: number): boolean {
  const day = marketDay(at);
  return isSession(day) && at > sessionOpen(day) && at <= sessionClose(day);
}

it('leaves no gap, duplicate or shifted session around clock changes, half-days and closures', async () => {
  const runs = await collectOverTime(database, STRETCHES, { ...market, failing });
  const sessions = sessionsBetween(marketDay(STRETCHES[0].from), newestClosedSession(runs.end));
  expect(sessions).toHaveLength(86);
  const closes = new Map(sessions.map((session) => [sessionClose(session), session]));
  for (const { name, key = '1' } of PUBLISHED_TABLES) {
    const batches = await run<{ at: number; rows: number; keys: number }>(
      `select extract(epoch from created_at)::float8 * 1000 as at, count(*) as rows, count(distinct ${key}) as keys
       from public.${name} group by created_at`,
    );
    const instants = new Set(batches.map(({ at }) => at));
    expect([name, [...closes.keys()].filter((at) => !instants.has(at))]).toEqual([name, []]);
    expect([name, batches.filter(({ rows, keys }) => rows !== keys)]).toEqual([name, []]);
    expect([name, batches.filter(({ at }) => !isWithinSession(at))]).toEqual([name, []]);
  }
  const prices = await run<{ at: number; price: number }>(
    "select extract(epoch from created_at)::float8 * 1000 as at, price from public.market_indices where symbol = 'SPX'",
  );
  for (const { at, price } of prices) {
    const session = closes.get(at);
    if (session !== undefined) expect([session, price]).toEqual([session, fakeValue('sp500_close', session)]);
  }
  expect(runs.done).toBe(new Set(runs.due).size);
  // A backfill is expected at the start, and after more than ten missed sessions, because a run only makes up for
  // seven.
  expect(runs.fills).toBe(3);
});
