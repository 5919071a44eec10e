import { expect, it, vi } from 'vitest';
import { createTableClient, sendThrough } from '#queries/client.ts';
import { QueryError } from '#queries/query-error.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import { readOrigins } from '#queries/read-origins.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { Gate } from '../rest/gate.ts';
import { sendThroughGate } from './gate-reads.ts';

const KEY = 'sb_publishable_x';
const SATURDAY = Date.parse('2026-11-14T15:00:00Z');
const NO_LIMIT = new AbortController().signal;
const READ = { table: 'market_metrics', columns: 'source', limit: 1 };

const readAll = async (send: SendRead) => {
  await readDashboard(send, marketClockAt(SATURDAY), { history: true });
  await readOrigins(send, '2026-11-13T21:00:00.000Z');
};

it('sends the requests that the table client sends', async () => {
  const byGate: string[] = [];
  const gate: Gate = async ({ method, path, query, headers: { apikey, prefer } }) => {
    byGate.push(`${method} ${path}?${query} ${apikey} ${prefer ?? ''}`);
    return { status: 200, headers: { 'Content-Range': '*/0' }, body: '[]' };
  };
  const byClient: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const sent = new Headers(init?.headers);
    const path = pathname.slice('/rest/v1'.length);
    byClient.push(`${init?.method} ${path}${search} ${sent.get('apikey')} ${sent.get('prefer') ?? ''}`);
    return Response.json([], { headers: { 'content-range': '*/0' } });
  };
  await readAll(sendThroughGate(gate, KEY, NO_LIMIT));
  await readAll(sendThrough(createTableClient({ supabaseUrl: 'http://stub', anonKey: KEY, fetch })));
  expect(byGate).toHaveLength(19);
  expect(byGate).toEqual(byClient);
});

it('returns rows with their total, which may be more than the rows', async () => {
  const gate: Gate = async () => ({ status: 206, headers: { 'Content-Range': '0-0/7' }, body: '[{}]' });
  const response = await sendThroughGate(gate, KEY, NO_LIMIT)({ ...READ, isCounted: true });
  expect(response).toEqual({ data: [{}], error: null, status: 206, count: 7 });
});

it('fails with the error of the gate', async () => {
  const body = { code: '42501', message: 'permission denied for table market_metrics' };
  const gate: Gate = async () => ({ status: 401, headers: {}, body: JSON.stringify(body) });
  const send = sendThroughGate(gate, KEY, NO_LIMIT);
  expect(await send(READ)).toMatchObject({ data: null, error: body, status: 401 });
  await expect(readOrigins(send, '2026-11-13T21:00:00.000Z')).rejects.toThrow(QueryError);
});

it('rejects at its time limit, and sends nothing after it', async () => {
  const limit = new AbortController();
  const gate = vi.fn<Gate>(() => new Promise(() => undefined));
  const send = sendThroughGate(gate, KEY, limit.signal);
  const reading = send(READ);
  limit.abort(new Error('Too late'));
  await expect(reading).rejects.toThrow('Too late');
  await expect(send(READ)).rejects.toThrow('Too late');
  expect(gate).toHaveBeenCalledOnce();
});
