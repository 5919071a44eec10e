import { expect, test } from 'vitest';
import { createTableClient, sendThrough } from './client.ts';
import { readOrigins } from './read-origins.ts';

const BELL = '2026-11-13T21:00:00.000Z';

/** Reads from a backend that returns the given response, and the requests that it received. */
function clientOver(answer: unknown, status = 200) {
  const asked: URL[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(new URL(String(input)));
    return Response.json(answer, { status });
  };
  const client = createTableClient({ supabaseUrl: 'http://stub', anonKey: 'key', fetch });
  return { asked, send: sendThrough(client) };
}

const vix = {
  input: 'vix_close',
  provider: 'cboe',
  session: '2026-11-13',
  observed_at: '2026-11-13T21:00:00+00:00',
  fetched_at: '2026-11-13T21:31:04.5+00:00',
  created_at: '2026-11-13T21:00:00.000400+00:00',
};

test('reads the origins of a row set with one request', async () => {
  const nobody = { ...vix, input: 'put_call_total', provider: null, session: null, observed_at: null };
  const { asked, send } = clientOver([vix, nobody, vix, { provider: 'cboe' }, null]);
  expect(await readOrigins(send, BELL)).toEqual([
    { ...vix, observed_at: BELL, fetched_at: '2026-11-13T21:31:04.500Z', created_at: BELL },
    { ...nobody, fetched_at: '2026-11-13T21:31:04.500Z', created_at: BELL },
  ]);
  expect(asked.map(({ pathname, search }) => pathname + decodeURIComponent(search))).toEqual([
    `/rest/v1/input_origins?select=input,provider,session,observed_at,fetched_at,created_at&created_at=gte.${BELL}&created_at=lt.2026-11-13T21:00:00.001Z&limit=100`,
  ]);
});

test('returns an empty list if no origins are recorded', async () => {
  expect(await readOrigins(clientOver([]).send, BELL)).toEqual([]);
  await expect(
    readOrigins(clientOver({ code: 'XX000', message: 'no' }, 500).send, BELL),
  ).rejects.toMatchObject({
    name: 'QueryError',
    message: 'no',
  });
});
