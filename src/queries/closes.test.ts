import { expect, test } from 'vitest';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient, sendThrough } from './client.ts';
import { readCloses } from './read-dashboard.ts';

const clock = { now: Date.parse('2026-12-24T12:00:00Z'), marketDay, startOfMarketDay };

/** A client whose backend returns these rows for every read, newest first, and records the requests. */
function clientOver(rows: readonly unknown[]) {
  const asked: URLSearchParams[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { pathname, searchParams } = new URL(String(input));
    expect(pathname).toBe('/rest/v1/market_indices');
    asked.push(searchParams);
    return Response.json(rows.slice(0, Number(searchParams.get('limit'))));
  };
  const client = createTableClient({ supabaseUrl: 'http://stub', anonKey: 'key', fetch });
  return { asked, send: sendThrough(client) };
}

const newestFirst = {
  select: 'price,source,created_at',
  symbol: 'eq.SPX',
  price: 'gt.0',
  order: 'created_at.desc',
};

const row = (price: unknown, created_at: string) => ({ price, source: 'csv', created_at });

test('uses the last row of each market day of the month before the newest row', async () => {
  const { asked, send } = clientOver([
    row(6740.5, '2026-11-13T15:00:00+00:00'),
    row('6734.11', '2026-11-12T21:00:00+00:00'),
    row(6700, '2026-11-12T20:00:00+00:00'),
    // After midnight in UTC, which is the evening before in New York.
    row(6690, '2026-11-12T01:00:00+00:00'),
  ]);
  expect(await readCloses(send, clock)).toEqual([
    { price: 6690, source: 'csv', created_at: '2026-11-12T01:00:00.000Z' },
    { price: 6734.11, source: 'csv', created_at: '2026-11-12T21:00:00.000Z' },
    { price: 6740.5, source: 'csv', created_at: '2026-11-13T15:00:00.000Z' },
  ]);
  expect(asked.map((query) => Object.fromEntries(query))).toEqual([
    { ...newestFirst, limit: '1' },
    {
      ...newestFirst,
      // Midnight in New York, in summer time.
      created_at: 'gte.2026-10-14T04:00:00.000Z',
      limit: '1000',
    },
  ]);
});

test('ignores a row without a price or a time', async () => {
  const { send } = clientOver([
    row(6740.5, '2026-11-13T21:00:00Z'),
    row(null, '2026-11-12T21:00:00Z'),
    row('NaN', '2026-11-12T20:30:00Z'),
    row(0, '2026-11-12T20:20:00Z'),
    row(6701, '2026-11-12T20:00:00Z'),
    row(6600, 'soon'),
  ]);
  expect((await readCloses(send, clock)).map(({ price }) => price)).toEqual([6701, 6740.5]);
});

test('sends no second read without rows', async () => {
  const { asked, send } = clientOver([]);
  expect(await readCloses(send, clock)).toEqual([]);
  expect(asked).toHaveLength(1);
});

test('throws the error of a failed read', async () => {
  const fetch = async () => Response.json({ message: 'no' }, { status: 500 });
  const client = createTableClient({ supabaseUrl: 'http://stub', anonKey: 'key', fetch });
  await expect(readCloses(sendThrough(client), clock)).rejects.toMatchObject({ name: 'QueryError' });
});
