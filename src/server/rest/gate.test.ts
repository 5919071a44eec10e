import { PostgrestClient } from '@supabase/postgrest-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { DatabaseError, type Parameter, type Row, type TransactionOptions } from '#database/port.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import type { Log } from '../log.ts';
import { createServerCounts } from '../metrics/counters.ts';

import type { RestRequest } from './exchange.ts';
import { EXPOSED_TABLES, readTables } from './exposed-tables.ts';
import { createGate, QUEUES } from './gate.ts';

const KEY = 'sb_publishable_test';
const ADDRESS = 'somebody@example.org';
const CLIENT = '203.0.113.9';

/** The gate over a database that returns the same rows for every statement, or throws. */
function setUp(answer: Row[] | Error | Promise<Row[]> = [{ body: '[]', rows: 0, total: null }]) {
  const asked: { sql: string; parameters: readonly Parameter[]; options: TransactionOptions }[] = [];
  const database = stubDatabase(async (sql, parameters, options) => {
    asked.push({ sql, parameters, options });
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const logged: string[] = [];
  const keep = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
  const log: Log = { info: keep, warn: keep, error: keep };
  const columns = new Map([
    ['id', 'bigint'],
    ['email', 'text'],
  ]);
  const subscribers = { name: 'email_subscribers', columns, required: [] };
  const counts = createServerCounts();
  const tables = new Map([['email_subscribers', subscribers]]);
  const gate = createGate({ database, tables, publicKey: KEY, counts, log });
  const ask = async (request: Partial<RestRequest> = {}) => {
    const plain = { method: 'GET', path: '/email_subscribers', query: '', client: CLIENT };
    return gate({ ...plain, headers: { apikey: KEY }, body: new Uint8Array(), ...request });
  };
  const outcomeOf = async (request: Partial<RestRequest> = {}) => {
    const { status, body } = await ask(request);
    return status < 300 ? status : [status, JSON.parse(body).code];
  };
  return { ask, outcomeOf, asked, logged, counts: counts.reads };
}

const post = (body: unknown) => ({ method: 'POST', body: Buffer.from(JSON.stringify(body)) });
const insert = post({ email: ADDRESS });

describe('the gate', () => {
  it.each<[name: string, request: Partial<RestRequest>]>([
    ['as apikey', { headers: { apikey: KEY } }],
    ['as bearer', { headers: { authorization: `Bearer ${KEY}` } }],
    ['as both', { headers: { apikey: KEY, authorization: `Bearer ${KEY}` } }],
    ['in the query', { query: `select=email&apikey=${KEY}&limit=1`, headers: {} }],
  ])('accepts the public key %s', async (_, request) => {
    const { outcomeOf, asked } = setUp();
    expect(await outcomeOf(request)).toBe(200);
    expect(JSON.stringify(asked)).not.toContain(KEY);
  });

  const OTHER_TOKEN = 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x';
  it.each<[outcome: (number | string | null)[], request: Partial<RestRequest>]>([
    [[401, null], { headers: {} }],
    [[401, null], { headers: { apikey: '' } }],
    [[401, null], { headers: { apikey: `${KEY}x` } }],
    [[401, null], { headers: { authorization: `Basic ${KEY}` } }],
    [[401, null], { headers: { apikey: KEY, authorization: OTHER_TOKEN } }],
    [[401, null], { headers: {}, query: `apikey=${KEY}x` }],
    [[401, null], { headers: {}, query: `apikey2=${KEY}` }],
    [[401, null], { headers: {}, query: `apikey=${KEY}&apikey=other` }],
    [[401, null], { query: 'apikey=other' }],
    ...['GET', 'POST', 'DELETE', 'OPTIONS'].flatMap(
      (method): [(number | string)[], Partial<RestRequest>][] => [
        [[404, 'PGRST205'], { method, path: '/pg_authid' }],
        [[404, 'PGRST205'], { method, path: '/collector.bars' }],
        [[404, 'PGRST125'], { method, path: '/' }],
        [[404, 'PGRST125'], { method, path: '//' }],
        [[404, 'PGRST125'], { method, path: '/email_subscribers/1' }],
        [[404, 'PGRST125'], { method, path: '/%E0%A4%A' }],
      ],
    ),
    [[401, '42501'], { method: 'PUT' }],
    [[401, '42501'], { method: 'PATCH' }],
    [[401, '42501'], { method: 'DELETE' }],
    [[405, 'PGRST117'], { method: 'BREW' }],
    [[400, '42703'], { query: 'select=password' }],
    [[400, '42703'], { query: 'password=eq.1' }],
    [[413, 'PGRST102'], { method: 'POST', body: null }],
    [[401, '42501'], { ...insert, headers: { apikey: KEY, prefer: 'return=representation' } }],
    [[401, '42501'], { ...insert, headers: { apikey: KEY, prefer: 'resolution=merge-duplicates' } }],
    ...[{ email: 'a', x: 1 }, { '__proto__ ': 1 }, { constructor: 1 }].map(
      (row): [(number | string)[], Partial<RestRequest>] => [[400, 'PGRST204'], post(row)],
    ),
    ...[[[]], 3, {}, [], [{}], null, [{ email: 'a' }, { id: 1 }], Array(101).fill({ email: '' })].map(
      (body): [(number | string)[], Partial<RestRequest>] => [[400, 'PGRST102'], post(body)],
    ),
    [[400, 'PGRST102'], { method: 'POST', body: Buffer.from('\ufeff{"email":"a"}') }],
    [
      [406, 'PGRST116'],
      {
        ...post([{ email: 'a@b.co' }, { email: 'b@b.co' }]),
        headers: { apikey: KEY, accept: 'application/vnd.pgrst.object+json' },
      },
    ],
  ])('refuses with %j before any statement: %j', async (outcome, request) => {
    const { outcomeOf, asked, logged } = setUp();
    expect(await outcomeOf(request)).toEqual(outcome);
    expect([asked, logged]).toEqual([[], []]);
  });

  it('runs as anon for a limited time, with read-only reads and durable inserts', async () => {
    const { outcomeOf, asked } = setUp();
    expect([await outcomeOf(), await outcomeOf(insert)]).toEqual([200, 201]);
    expect(asked.map(({ options }) => options)).toEqual([
      { role: 'anon', readOnly: true, statementTimeoutMs: 5000 },
      { role: 'anon', durable: true, statementTimeoutMs: 5000 },
      { role: 'anon', durable: true, statementTimeoutMs: 5000 },
    ]);
  });

  it('passes the client of an insert, and the rows for Postgres to parse', async () => {
    const { ask, asked } = setUp();
    const body = '{"email":"a@b.co","id":1.0}';
    await ask({ method: 'POST', body: Buffer.from(body) });
    const [client, rows] = asked;
    expect([client?.sql.slice(0, 42), client?.parameters]).toEqual([
      "select set_config('barometer.client', $1::",
      [CLIENT],
    ]);
    expect([rows?.sql, rows?.parameters]).toEqual([
      'insert into public."email_subscribers" ("email", "id") select "email", "id" ' +
        'from json_to_recordset($1::json) as _row("email" text, "id" bigint)',
      [`[${body}]`],
    ]);
    await ask({ ...post([{ email: 'a@b.co' }, { id: 1 }]), query: 'columns="email"' });
    expect(asked.at(-1)?.sql).toContain('("email") select "email" from');
  });

  it('responds to a preflight request without the key', async () => {
    const requested = 'apikey,content-type,prefer,x-client-info,bad name\u00e9';
    const headers = {
      origin: 'https://site.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': requested,
    };
    expect(await setUp().ask({ method: 'OPTIONS', headers })).toMatchObject({
      status: 200,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'GET, POST, OPTIONS, HEAD',
        'Access-Control-Allow-Headers':
          'Authorization, apikey, content-type, prefer, x-client-info, Accept, Accept-Language, Content-Language',
      },
    });
  });
});

/** Creates a client with supabase-js, and records the statements of its calls. */
function connect(answer?: Row[]) {
  const PREFIX = '/rest/v1';
  const { ask, asked } = setUp(answer);
  const client = new PostgrestClient(`http://gate${PREFIX}`, {
    schema: 'public',
    headers: { apikey: KEY, authorization: `Bearer ${KEY}` },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname, search } = new URL(request.url);
      const { status, headers, body } = await ask({
        method: request.method,
        path: pathname.slice(PREFIX.length),
        query: search.slice(1),
        headers: Object.fromEntries(request.headers),
        body: new Uint8Array(await request.arrayBuffer()),
      });
      return new Response(body === '' ? null : body, { status, headers });
    },
  });
  return { table: client.from('email_subscribers'), asked };
}

describe('the table client', () => {
  it('can read with every filter, order, range and count of the dialect', async () => {
    const { table, asked } = connect([{ body: '[{"id":1}]', rows: 1, total: 7 }]);
    const { data, count, status } = await table
      .select('id, email', { count: 'exact' })
      .in('email', ['a', 'b,c', 'd"e', ''])
      .is('email', null)
      .neq('id', 3)
      .order('email', { ascending: false, nullsFirst: false })
      .order('id')
      .range(2, 4);
    expect([data, count, status]).toEqual([[{ id: 1 }], 7, 206]);
    expect(asked[0]?.sql).toContain(
      'from (select "id", "email" from public."email_subscribers" where "email" = any ($1) and "email" is null ' +
        'and "id" <> $2 order by "email" desc nulls last, "id" asc limit 3 offset 2)',
    );
    expect(asked[0]?.parameters).toEqual([['a', 'b,c', 'd"e', ''], '3']);
  });

  it('can read one row, only count, or insert several rows', async () => {
    const one = await connect([{ body: '[{"id":1}]', rows: 1, total: null }])
      .table.select()
      .single();
    expect(one.data).toEqual({ id: 1 });
    const { table } = connect([{ body: '[]', rows: 0, total: 7 }]);
    expect((await table.select('*', { count: 'exact', head: true })).count).toBe(7);
    const rows = [{ email: 'a@b.co' }, { email: 'b@b.co' }];
    expect((await table.insert(rows, { count: 'exact' })).count).toBe(2);
  });
});

describe('the response to a failure', () => {
  it.each([
    ['23505', 409, null],
    ['23514', 400, null],
    ['22P02', 400, null],
    ['42501', 401, null],
    ['42P01', 404, null],
    ['42703', 400, null],
    ['25006', 405, null],
    ['57P01', 503, '5'],
    ['57P03', 503, '5'],
    ['57014', 503, '5'],
    ['55P03', 503, '5'],
    ['53300', 503, '5'],
    ['08006', 503, '5'],
    ['XX000', 500, null],
    ['53100', 503, '5'],
    ['PT429', 429, '3600'],
    ['PT4xx', 500, null],
    ['22023', 400, null],
  ])('has the code of the database, but no address: %s is %d', async (code, status, retryAfter) => {
    const detail = `Failing row contains (1, ${ADDRESS}, t).`;
    const { ask, logged } = setUp(new DatabaseError({ message: 'it failed', code, detail }));
    const answer = await ask(insert);
    expect([answer.status, answer.headers['Retry-After'] ?? null]).toEqual([status, retryAfter]);
    expect(JSON.parse(answer.body)).toMatchObject({ code, message: 'it failed' });
    expect(logged.join()).not.toContain(ADDRESS);
    expect(logged).toHaveLength(status >= 500 ? 1 : 0);
    if (code.startsWith('23') || status >= 500) expect(answer.body).not.toContain(ADDRESS);
  });

  it.each([
    [new DatabaseUnavailable('unreachable', 'away'), 503, 'PGRST000', 'The database is not available'],
    [new DatabaseUnavailable('lost', 'away'), 503, 'PGRST001', 'The connection to the database was lost'],
    [new Error('a secret path'), 500, 'XX000', 'The server failed'],
  ])('has no reason of the server: %s', async (error, status, code, message) => {
    const { ask, logged, counts } = setUp(error);
    const { body, ...answer } = await ask();
    expect([answer.status, JSON.parse(body).code]).toEqual([status, code]);
    expect(JSON.parse(body).message).toMatch(message);
    expect(body).not.toMatch(/secret|away/);
    expect([logged.length, counts.refused]).toEqual([1, status === 503 ? 1 : 0]);
  });
});

describe('a database that hangs', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['reads', {}, 0],
    ['inserts', insert, QUEUES.inserts.atOnce],
  ] as const)('gets only some %s, and the others get 503 after five seconds', async (kind, request, open) => {
    vi.useFakeTimers();
    const { ask, asked } = setUp(new Promise(() => undefined));
    const { atOnce, most } = QUEUES[kind];
    const statuses: (number | string | undefined)[] = [];
    for (let at = 0; at < most + 1; at += 1)
      void ask(request).then(({ status, headers }) => statuses.push(status, headers['Retry-After']));
    await vi.advanceTimersByTimeAsync(4_999);
    expect([asked.length, statuses]).toEqual([atOnce, [503, '5']]);
    await vi.advanceTimersByTimeAsync(1);
    // Postgres itself ends an insert that takes too long.
    expect(statuses).toEqual(
      Array(most + 1 - open)
        .fill([503, '5'])
        .flat(),
    );
    const before = asked.length;
    void ask(kind === 'reads' ? insert : {});
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(before + 1);
  });
});

it('reads of two clients take turns', async () => {
  let release = (_: Row[]) => {};
  const { ask, asked } = setUp(
    new Promise((resolve) => {
      release = resolve;
    }),
  );
  const { atOnce } = QUEUES.reads;
  const reads = Array.from({ length: atOnce + 3 }, () => ask());
  const other = ask({ client: '198.51.100.7', query: 'select=id' });
  release([{ body: '[]', rows: 0, total: null }]);
  await Promise.all([...reads, other]);
  expect(asked.findIndex(({ sql }) => !sql.includes('"email"'))).toBe(atOnce + 1);
});

it('readTables throws if the database lacks a table', async () => {
  const database = stubDatabase(async () => [{ table: 'market_metrics', column: 'id', type: 'bigint' }]);
  await expect(readTables(database)).rejects.toThrow('The database has no table market_indices');
  expect(EXPOSED_TABLES).toHaveLength(16);
});
