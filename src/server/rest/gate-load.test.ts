import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, DatabaseError, type Row } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { createServerCounts } from '../metrics/metrics.ts';
import { ADMISSION } from './admission.ts';
import type { RestRequest } from './exchange.ts';
import { createGate } from './gate.ts';
import type { Tables } from './tables.ts';

const KEY = 'sb_publishable_test';

const columns = new Map([
  ['id', 'bigint'],
  ['created_at', 'timestamp with time zone'],
]);
const TABLES: Tables = new Map(
  ['market_metrics', 'market_indices', 'input_origins', 'email_subscribers'].map((name) => [
    name,
    { name, columns, required: [] },
  ]),
);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates a gate and a database that returns the number of each statement, throws, or never responds. */
function setUp() {
  const counts = createServerCounts().reads;
  const logged: string[] = [];
  const keep = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
  let statements = 0;
  let failure: Error | null = null;
  let isHanging = false;
  const transaction: Database['transaction'] = (work) =>
    work({
      query: async <R extends Row>(sql: string) => {
        statements += 1;
        if (failure !== null) throw failure;
        if (isHanging) await new Promise(() => undefined);
        const total = sql.includes('null::bigint as total') ? null : 3;
        return [{ body: `[{"id":${statements}}]`, rows: 1, total }] as unknown as R[];
      },
      script: () => Promise.reject(new Error('not used')),
      copyIn: () => Promise.reject(new Error('not used')),
      copyOut: () => Promise.reject(new Error('not used')),
    });
  const database: Database = {
    transaction,
    close: async () => undefined,
  };
  const gate = createGate({
    database,
    tables: TABLES,
    publicKey: KEY,
    counts,
    log: { info: keep, warn: keep, error: keep },
  });
  const ask = (request: Partial<RestRequest> = {}) =>
    gate({
      method: 'GET',
      path: '/market_metrics',
      query: '',
      headers: { apikey: KEY, ...request.headers },
      body: new Uint8Array(),
      client: '203.0.113.9',
      ...(({ headers: _, ...others }) => others)(request),
    });
  return {
    ...{ ask, logged, counts },
    statements: () => statements,
    failWith: (error: Error | null) => {
      failure = error;
    },
    hang: () => {
      isHanging = true;
    },
  };
}

describe('a read', () => {
  it('runs in the database for each request', async () => {
    const { ask, statements, counts } = setUp();
    expect((await ask()).body).toBe('[{"id":1}]');
    expect((await ask()).body).toBe('[{"id":2}]');
    expect([statements(), counts.database]).toEqual([2, 2]);
  });

  it('has the same headers for HEAD as for GET', async () => {
    const { ask } = setUp();
    const get = await ask();
    const head = await ask({ method: 'HEAD', headers: { origin: 'https://other.example' } });
    expect(head).toEqual({ ...get, body: '[{"id":2}]' });
  });

  it('has only the requested headers', async () => {
    const { ask } = setUp();
    const plain = await ask({});
    const counted = await ask({ headers: { prefer: 'count=exact', 'accept-profile': 'public' } });
    expect(counted.headers).toMatchObject({
      'Preference-Applied': 'count=exact',
      'Content-Profile': 'public',
    });
    expect(plain.headers['Preference-Applied']).toBeUndefined();
    expect(plain.headers['Content-Profile']).toBeUndefined();
  });

  it('runs no statement if the request itself is refused', async () => {
    const { ask, statements } = setUp();
    for (let at = 0; at < 100; at += 1) {
      expect((await ask({ query: `column${at}=eq.1` })).status).toBe(400);
      expect((await ask({ headers: { apikey: `${at}` } })).status).toBe(401);
    }
    expect(statements()).toBe(0);
  });

  it('is refused with 503 and Retry-After while the database is unavailable', async () => {
    const { ask, failWith, logged, counts } = setUp();
    failWith(new DatabaseUnavailable('unreachable', 'The database is away.'));
    const { status, headers, body } = await ask();
    expect([status, headers['Retry-After'], JSON.parse(body).code]).toEqual([503, '5', 'PGRST000']);
    expect(logged).toHaveLength(1);
    expect(counts.refused).toBe(1);
    failWith(new DatabaseError({ code: '22P02', message: 'no number' }));
    expect((await ask({ query: 'id=eq.x' })).status).toBe(400);
    expect(counts.refused).toBe(1);
  });

  it('is refused after five seconds if the database does not respond', async () => {
    const { ask, statements, hang } = setUp();
    hang();
    const { atOnce, waiting } = ADMISSION.reads;
    const statuses: number[] = [];
    for (let at = 0; at < atOnce + waiting + 1; at += 1)
      void ask().then(({ status }) => statuses.push(status));
    await vi.advanceTimersByTimeAsync(4_999);
    expect([statements(), statuses]).toEqual([atOnce, [503]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(statuses).toEqual(Array(atOnce + waiting + 1).fill(503));
  });
});

describe('a database that hangs', () => {
  it('gets at most two inserts in addition to reads', async () => {
    const { ask, statements, hang } = setUp();
    hang();
    const insert = { method: 'POST', path: '/email_subscribers', body: Buffer.from('{"id":1}') };
    const { atOnce, waiting } = ADMISSION.inserts;
    const statuses: number[] = [];
    for (let at = 0; at < atOnce + waiting + 1; at += 1) {
      void ask(insert).then(({ status, headers }) => {
        expect(headers['Retry-After']).toBe('5');
        statuses.push(status);
      });
    }
    await vi.advanceTimersByTimeAsync(0);
    expect([statements(), statuses]).toEqual([atOnce, [503]]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([statements(), statuses]).toEqual([atOnce, Array(waiting + 1).fill(503)]);
    void ask();
    await vi.advanceTimersByTimeAsync(0);
    expect(statements()).toBe(atOnce + 1);
  });
});
