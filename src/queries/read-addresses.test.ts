import { afterEach, expect, test, vi } from 'vitest';
import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient, fetchDashboard } from './client.ts';
import { dashboardAddresses } from './read-addresses.ts';

const ADDRESS = 'https://backend.example/some/where';
const KEY = 'sb_publishable_test';

const clockAt = (now: number) => ({ now, marketDay, startOfMarketDay, newestOpenedSession });

/** The addresses and headers that `fetchDashboard` requests at this time from a backend without rows, in any order. */
async function asked(now: number): Promise<string[]> {
  const requests: string[] = [];
  const client = createTableClient({
    supabaseUrl: ADDRESS,
    anonKey: KEY,
    fetch: async (input, init) => {
      requests.push(`${init?.method} ${input} ${JSON.stringify([...new Headers(init?.headers)].sort())}`);
      return new Response('[]', { headers: { 'content-range': '*/0' } });
    },
  });
  await fetchDashboard(client, clockAt(now));
  return requests.sort();
}

const foretold = (now: number) =>
  dashboardAddresses(ADDRESS, clockAt(now))
    .map(({ url, headers }) => {
      const sent = new Headers({ apikey: KEY, ...headers });
      return `GET ${url} ${JSON.stringify([...sent].sort())}`;
    })
    .sort();

test.each([
  ['within a session', '2026-11-18T16:00:00Z'],
  ['before the opening bell', '2026-11-18T13:00:00Z'],
  ['at the opening bell', '2026-11-18T14:30:00Z'],
  ['after the close, past midnight UTC', '2026-11-19T01:30:00Z'],
  ['around midnight in New York', '2026-11-19T04:59:59.999Z'],
  ['at midnight in New York', '2026-11-19T05:00:00Z'],
  ['on a Saturday', '2026-11-21T15:00:00Z'],
  ['on a Sunday', '2026-11-22T15:00:00Z'],
  ['on a Monday before the bell', '2026-11-23T12:00:00Z'],
  ['on Thanksgiving', '2026-11-26T15:00:00Z'],
  ['on the half-day after it', '2026-11-27T19:00:00Z'],
  ['at Christmas', '2026-12-25T15:00:00Z'],
  ['on New Year’s Day', '2027-01-01T15:00:00Z'],
  ['as clocks go forward', '2027-03-14T06:59:59Z'],
  ['after clocks went forward', '2027-03-14T07:00:00Z'],
  ['a week after clocks went forward', '2027-03-20T16:00:00Z'],
  ['as clocks go back', '2026-11-01T05:30:00Z'],
  ['after clocks went back', '2026-11-01T06:30:00Z'],
  ['a month after clocks went back', '2026-12-01T16:00:00Z'],
  ['a year after 29 February', '2029-02-28T16:00:00Z'],
  ['on 29 February', '2028-02-29T16:00:00Z'],
])('%s the early reads of a page equal its later requests', async (_, instant) => {
  const now = Date.parse(instant);
  const requests = await asked(now);
  expect(new Set(requests).size).toBe(requests.length);
  expect(foretold(now)).toEqual(requests);
});

test('lists the requests of fetchDashboard at each hour of a year and a half', async () => {
  const hour = 3_600_000;
  const start = Date.parse('2026-06-01T00:17:00Z');
  // 83 hours are not a multiple of a day, so that every hour and every weekday occurs.
  for (let now = start; now < start + 550 * 24 * hour; now += 83 * hour) {
    expect(foretold(now), new Date(now).toISOString()).toEqual(await asked(now));
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['before the bell', ['05:00:00.000', '09:12:34.567', '14:29:59.999']],
  ['after the bell', ['14:30:00.000', '17:45:01.234', '23:59:59.999']],
])('clients in all time zones request the same addresses %s of a market day', (_, times) => {
  const zones = ['America/Los_Angeles', 'UTC', 'Asia/Tokyo', 'Pacific/Kiritimati'];
  const hours = new Set<number>();
  const all = zones.flatMap((zone) => {
    vi.stubEnv('TZ', zone);
    return times.map((time) => {
      const instant = Date.parse(`2026-11-18T${time}Z`);
      hours.add(new Date(instant).getHours() - new Date(instant).getUTCHours());
      return foretold(instant).join('\n');
    });
  });
  expect(hours.size).toBeGreaterThanOrEqual(zones.length);
  expect(new Set(all).size).toBe(1);
});
