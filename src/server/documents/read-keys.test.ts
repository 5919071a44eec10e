import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createTableClient, sendThrough } from '#queries/client.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { keyOfRead, requestKeys } from './release.ts';

const KEY = 'sb_publishable_x';
const SATURDAY = Date.parse('2026-11-14T15:00:00Z');

const readAll = async (send: SendRead) => {
  await readDashboard(send, marketClockAt(SATURDAY), true);
  await readOrigins(send, '2026-11-13T21:00:00.000Z');
};

it('is the same for a read of the server and the request of the table client', async () => {
  const byServer: string[] = [];
  const byClient: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const request = {
      method: init?.method,
      url: pathname + search,
      headers: Object.fromEntries(new Headers(init?.headers)),
    };
    byClient.push(requestKeys(KEY)(request as unknown as IncomingMessage));
    return Response.json([], { headers: { 'content-range': '*/0' } });
  };
  await readAll(async (read) => {
    byServer.push(keyOfRead(read));
    return { data: [], error: null, status: 200, count: 0 };
  });
  await readAll(sendThrough(createTableClient({ supabaseUrl: 'http://stub', anonKey: KEY, fetch })));
  expect(byServer).toHaveLength(19);
  expect(byClient).toEqual(byServer);
});
