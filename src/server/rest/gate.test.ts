import { PostgrestClient } from '@supabase/postgrest-js';
import { describe, expect, it } from 'vitest';
import {
  type Database,
  DatabaseError,
  type Parameter,
  type Row,
  type TransactionOptions,
} from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import type { Log } from '../log.ts';
import { createServerCounts } from '../metrics/metrics.ts';
import type { RestRequest } from './exchange.ts';
import { createGate } from './gate.ts';
import { EXPOSED_TABLES, readTables } from './tables.ts';

const KEY = 'sb_publishable_test';
const ADDRESS = 'somebody@example.org';
const CLIENT = '203.0.113.9';

/** A database that returns the same rows for every statement, or throws, and records the statements. */
function stubDatabase(answer: Row[] | Error) {
  const asked: { sql: string; parameters: readonly Parameter[]; options: TransactionOptions }[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const database: Database = {
    transaction: (work, options = {}) =>
      work({
        query: async <R extends Row>(sql: string, parameters: readonly Parameter[] = []) => {
          asked.push({ sql, parameters, options });
          if (answer instanceof Error) throw answer;
          return answer as R[];
        },
        script: unused,
        copyIn: unused,
        copyOut: unused,
      }),
    close: async () => {},
  };
  return { database, asked };
}

function setUp(answer: Row[] | Error = [{ body: '[]', rows: 0, total: null }]) {
  const logged: string[] = [];
  const keep = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
  const log: Log = { info: keep, warn: keep, error: keep };
  const { database, asked } = stubDatabase(answer);
  const columns = new Map([
    ['id', 'bigint'],
    ['email', 'text'],
  ]);
  const subscribers = { name: 'email_subscribers', columns, required: [] };
  const gate = createGate({
    database,
    tables: new Map([['email_subscribers', subscribers]]),
    publicKey: KEY,
    counts: createServerCounts().reads,
    log,
  });
  const ask = (request: Partial<RestRequest> = {}) =>
    gate({
      method: 'GET',
      path: '/email_subscribers',
      query: '',
      headers: { apikey: KEY },
      body: new Uint8Array(),
      client: CLIENT,
      ...request,
    });
  return { ask, asked, logged };
}

const insert = { method: 'POST', body: Buffer.from(JSON.stringify({ email: ADDRESS })) };

describe('access', () => {
  it('accepts the public key in the query and refuses a wrong key', async () => {
    const { ask, asked } = setUp();
    const of = async (query: string, headers = {}) => (await ask({ query, headers })).status;
    expect(await of(`select=email&apikey=${KEY}&limit=1`)).toBe(200);
    expect(await of(`apikey=${KEY}`)).toBe(200);
    expect(asked.flatMap(({ parameters }) => parameters)).not.toContain(KEY);
    expect(await of(`apikey=${KEY}x`)).toBe(401);
    expect(await of(`apikey=${KEY}&apikey=other`)).toBe(401);
    expect(await of('apikey=other', { apikey: KEY })).toBe(401);
    expect(await of(`apikey2=${KEY}`)).toBe(401);
    expect(asked).toHaveLength(2);
  });

  it('accepts the public key as apikey, as bearer or as both', async () => {
    const { ask } = setUp();
    for (const headers of [
      { apikey: KEY },
      { authorization: `Bearer ${KEY}` },
      { apikey: KEY, authorization: `Bearer ${KEY}` },
    ]) {
      expect((await ask({ headers })).status).toBe(200);
    }
  });

  it('is refused without the public key, before any statement', async () => {
    const { ask, asked } = setUp();
    for (const headers of [
      {},
      { apikey: '' },
      { apikey: `${KEY}x` },
      { authorization: `Basic ${KEY}` },
      { apikey: KEY, authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' },
    ]) {
      const { status, body } = await ask({ headers });
      expect(status).toBe(401);
      expect(JSON.parse(body).message).toMatch(/^(No API key found in request|Invalid API key)$/);
    }
    expect(asked).toEqual([]);
  });
});

describe('transactions', () => {
  it('run as anon for a limited time, with read-only reads and durable inserts', async () => {
    const { ask, asked } = setUp();
    await ask();
    expect((await ask(insert)).status).toBe(201);
    expect(asked.map(({ options }) => options)).toEqual([
      { role: 'anon', readOnly: true, statementTimeoutMs: 5000 },
      { role: 'anon', durable: true, statementTimeoutMs: 5000 },
      { role: 'anon', durable: true, statementTimeoutMs: 5000 },
    ]);
  });

  it('pass the address of the client to the database as a parameter of an insert', async () => {
    const { ask, asked } = setUp();
    await ask(insert);
    await ask();
    expect(asked.map(({ sql, parameters }) => [sql.split(' ', 2).join(' '), parameters])).toEqual([
      ["select set_config('barometer.client',", [CLIENT]],
      ['insert into', [JSON.stringify([{ email: ADDRESS }])]],
      [expect.stringMatching(/^select coalesce/), expect.anything()],
    ]);
  });

  it('do not begin for an unknown table, column or method', async () => {
    const { ask, asked } = setUp();
    for (const request of [
      { path: '/pg_authid' },
      { path: '/collector.bars' },
      { path: '/%E0%A4%A' },
      { path: '/', method: 'POST' },
      { query: 'select=password' },
      { query: 'password=eq.1' },
      { method: 'DELETE' },
      { method: 'BREW' },
      { method: 'POST', body: null },
    ]) {
      expect((await ask(request)).status).toBeGreaterThanOrEqual(400);
    }
    expect(asked).toEqual([]);
  });
});

describe('the root', () => {
  it('describes the tables with the methods of the public role, without a query', async () => {
    const { ask, asked } = setUp();
    const response = await ask({ path: '/' });
    expect(response).toMatchObject({
      status: 200,
      headers: { 'Content-Type': 'application/openapi+json; charset=utf-8' },
    });
    const { swagger, paths } = JSON.parse(response.body);
    expect(swagger).toBe('2.0');
    expect(Object.keys(paths['/email_subscribers'])).toEqual(['post']);
    expect(await ask({ path: '' })).toEqual(response);
    expect(asked).toEqual([]);
  });

  it('needs the public key', async () => {
    expect((await setUp().ask({ path: '/', headers: {} })).status).toBe(401);
  });
});

describe('paths', () => {
  it.each([
    ['/nope', 'PGRST205'],
    ['/pg_authid', 'PGRST205'],
    ['//', 'PGRST125'],
    ['/email_subscribers/1', 'PGRST125'],
    ['/%E0%A4%A', 'PGRST125'],
  ])('without a table are 404 for every method: %s', async (path, code) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const { status, body } = await setUp().ask({ path, method });
      expect([status, JSON.parse(body)]).toEqual([
        404,
        {
          code,
          details: null,
          hint: code === 'PGRST205' ? expect.any(String) : null,
          message: expect.any(String),
        },
      ]);
    }
  });
});

describe('methods', () => {
  it.each([
    ['PUT', 401, '42501'],
    ['PATCH', 401, '42501'],
    ['DELETE', 401, '42501'],
    ['BREW', 405, 'PGRST117'],
  ])('but GET, HEAD, POST and OPTIONS are refused: %s', async (method, status, code) => {
    const refused = await setUp().ask({ method });
    expect([refused.status, JSON.parse(refused.body).code]).toEqual([status, code]);
  });

  it('HEAD has the response of GET', async () => {
    const { ask } = setUp([{ body: '[{"email":"x"}]', rows: 1, total: 3 }]);
    for (const query of ['', 'limit=1', 'foo=eq.1', 'id=foo.1']) {
      const get = await ask({ query });
      expect(await ask({ query, method: 'HEAD' })).toEqual(get);
    }
  });
});

describe('one row', () => {
  const headers = { apikey: KEY, accept: 'application/vnd.pgrst.object+json' };

  it('is an object if requested, or 406 for another number of rows', async () => {
    const one = await setUp([{ body: '{"email":"x"}', rows: 1, total: null }]).ask({ headers });
    expect(one).toMatchObject({ status: 200, headers: { 'Content-Range': '0-0/*' }, body: '{"email":"x"}' });
    for (const rows of [0, 2]) {
      const none = await setUp([{ body: 'null', rows, total: null }]).ask({ headers });
      expect([none.status, JSON.parse(none.body).code]).toEqual([406, 'PGRST116']);
    }
  });

  it('is inserted if a single object is requested', async () => {
    const { ask, asked } = setUp();
    const body = Buffer.from(JSON.stringify([{ email: 'a@b.co' }, { email: 'b@b.co' }]));
    expect((await ask({ method: 'POST', headers, body })).status).toBe(406);
    expect(asked).toEqual([]);
    expect((await ask({ ...insert, headers })).status).toBe(201);
  });
});

describe('preferences of an insert', () => {
  it('are refused with 401 if the public role lacks the right', async () => {
    const { ask, asked } = setUp();
    for (const prefer of ['return=representation', 'resolution=merge-duplicates']) {
      const { status, body } = await ask({ ...insert, headers: { apikey: KEY, prefer } });
      expect([status, JSON.parse(body).code]).toEqual([401, '42501']);
    }
    expect(asked).toEqual([]);
  });

  it('are confirmed in Preference-Applied and Content-Range', async () => {
    const headers = { apikey: KEY, prefer: 'return=minimal,count=exact' };
    const { status, headers: sent } = await setUp().ask({ ...insert, headers });
    expect([status, sent]).toEqual([
      201,
      { 'Content-Range': '*/1', 'Preference-Applied': 'return=minimal, count=exact' },
    ]);
  });
});

describe('limits', () => {
  it('respond 413 to a longer body', async () => {
    const { status, body } = await setUp().ask({ method: 'POST', body: null });
    expect(status).toBe(413);
    expect(JSON.parse(body)).toMatchObject({ code: 'PGRST102', message: 'Request body too large' });
  });
});

describe('other origins', () => {
  it('get a response to a preflight without the key', async () => {
    const { ask } = setUp();
    const preflight = await ask({
      method: 'OPTIONS',
      headers: {
        origin: 'https://site.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'apikey,content-type,prefer,x-client-info,bad name\u00e9',
      },
    });
    expect(preflight).toMatchObject({
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

describe('the table client', () => {
  const PREFIX = '/rest/v1';

  /** Creates a client with supabase-js, and records the statements of its calls. */
  function connect(answer?: Row[]) {
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

  it('can read with every filter, order, range and count of the dialect', async () => {
    const { table, asked } = connect([{ body: '[{"id":1}]', rows: 1, total: 7 }]);
    const { data, count, status } = await table
      .select('id, email', { count: 'exact' })
      .in('email', ['a', 'b,c', 'd"e', ''])
      .is('email', null)
      .neq('id', 3)
      .lte('id', 9)
      .order('email', { ascending: false, nullsFirst: false })
      .order('id')
      .range(2, 4);
    expect([data, count, status]).toEqual([[{ id: 1 }], 7, 206]);
    expect(asked[0]?.sql).toContain(
      'from (select "id", "email" from public."email_subscribers" where "email" = any ($1::text[]) and "email" is null ' +
        'and "id" <> $2::bigint and "id" <= $3::bigint order by "email" desc nulls last, "id" asc limit 3 offset $4::bigint)',
    );
    expect(asked[0]?.parameters).toEqual(['{"a","b,c","d\\"e",""}', '3', '9', '2']);
  });

  it('can read one row, or only count', async () => {
    const one = await connect([{ body: '{"id":1}', rows: 1, total: null }])
      .table.select()
      .single();
    expect(one.data).toEqual({ id: 1 });
    const counted = await connect([{ body: '[]', rows: 0, total: 7 }]).table.select('*', {
      count: 'exact',
      head: true,
    });
    expect([counted.count, counted.error]).toEqual([7, null]);
  });

  it('can insert one row or several', async () => {
    const { table, asked } = connect();
    expect((await table.insert({ email: 'a@b.co' })).status).toBe(201);
    expect((await table.insert([{ email: 'a@b.co' }, { email: 'b@b.co' }], { count: 'exact' })).count).toBe(
      2,
    );
    const inserts = asked.filter(({ sql }) => sql.startsWith('insert'));
    expect(inserts.map(({ parameters }) => parameters)).toEqual([
      ['[{"email":"a@b.co"}]'],
      ['[{"email":"a@b.co"},{"email":"b@b.co"}]'],
    ]);
  });
});

describe('the response to a failure', () => {
  it('has the code of the database, but no address', async () => {
    for (const code of ['23505', '23514', 'XX000', '57014', '53100']) {
      const detail = `Failing row contains (1, ${ADDRESS}, t).`;
      const { ask, logged } = setUp(new DatabaseError({ message: 'it failed', code, detail }));
      const answer = await ask(insert);
      expect(JSON.parse(answer.body)).toMatchObject({ code, message: 'it failed' });
      expect(logged.join()).not.toContain(ADDRESS);
      expect(logged).toHaveLength(answer.status >= 500 ? 1 : 0);
      expect(answer.body).not.toContain(ADDRESS);
    }
  });

  it('is 503 while the database is unavailable', async () => {
    const { ask, logged } = setUp(new DatabaseUnavailable('unreachable', 'The database is away.'));
    const { status, body } = await ask();
    expect([status, JSON.parse(body)]).toMatchObject([
      503,
      { code: 'PGRST000', message: 'The database is not available. Please try again later.' },
    ]);
    expect(logged).toHaveLength(1);
  });

  it('is 503 with another code if the connection broke', async () => {
    const { ask } = setUp(new DatabaseUnavailable('lost', 'The connection was lost.'));
    const { status, body } = await ask();
    expect([status, JSON.parse(body)]).toMatchObject([
      503,
      { code: 'PGRST001', message: 'The connection to the database was lost. Please try again.' },
    ]);
  });

  it('is 500 without the reason of an unknown error', async () => {
    const { ask } = setUp(new Error('a secret path'));
    const { status, body } = await ask();
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
  });
});

describe('readTables', () => {
  it('throws if the database lacks a table', async () => {
    const { database } = stubDatabase([
      { table_name: 'market_metrics', column_name: 'id', data_type: 'bigint' },
    ]);
    await expect(readTables(database)).rejects.toThrow('The database has no table market_indices');
    expect(EXPOSED_TABLES).toHaveLength(15);
  });
});
