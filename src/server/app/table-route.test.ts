import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Asked, sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import type { Versioned } from '../documents/cached-value.ts';
import type { Release } from '../documents/release.ts';
import { listen } from '../http/listen.ts';
import { encode, type Resource } from '../http/response.ts';
import { SILENT_LOG } from '../log.ts';
import { createServerCounts } from '../metrics/counters.ts';
import { createGate } from '../rest/gate.ts';
import { resourceOfRead } from '../rest/read.ts';
import { createApp } from './routes.ts';
import { tableRoute } from './table-route.ts';

const KEY = 'sb_publishable_test';
const PATH = '/rest/v1/market_metrics';
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const RELEASED = `${PATH}?select=id&limit=40`;
const ROWS = JSON.stringify(
  Array.from({ length: 40 }, (_, id) => ({ id, created_at: '2026-11-13T21:00:00' })),
);
const columns = new Map([['id', 'bigint']]);
const TABLES = new Map(
  ['market_metrics', 'email_subscribers'].map((name) => [name, { name, columns, required: [] }]),
);

let statements = 0;
let body = ROWS;
let failure: Error | null = null;
/** The response to a read of `RELEASED` in the release that the test publishes. */
let responses: Map<string, Resource>;
let age: Versioned<Release>['age'] = null;
/** Resolves when the release is built; null while none is being built. */
let building: Promise<void> | null = null;

const database = stubDatabase(async (sql) => {
  statements += 1;
  if (failure !== null) throw failure;
  return [{ body, rows: 40, total: sql.includes('null::bigint as total') ? null : 99 }];
});

/** Publishes a release that contains the response to one read. */
async function release(rows: string): Promise<void> {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Range': '0-39/*',
  };
  const resource = resourceOfRead({ status: 200, headers, body: rows });
  responses = new Map([[RELEASED, { ...resource, ...(await encode(resource.content, 'quick')) }]]);
}

function startServer() {
  const counts = createServerCounts();
  const gate = createGate({ database, tables: TABLES, publicKey: KEY, counts, log: SILENT_LOG });
  const latest = (): Release => ({ page: {} as Release['page'], rows: null, responses });
  const version = () => ({ value: latest(), age });
  const releases = {
    get latest() {
      return latest();
    },
    current: () => building?.then(version) ?? version(),
  };
  const route = tableRoute({ gate, releases, publicKey: KEY, counts });
  const app = createApp({ routes: [route], productName: 'Barometer', log: SILENT_LOG });
  return listen(app, '127.0.0.1', 0);
}
const server = shared(startServer);
beforeEach(async () => {
  await release(ROWS);
  age = null;
  building = null;
  statements = 0;
  body = ROWS;
  failure = null;
});

const ask = (path = PATH, { headers = {}, ...asked }: Asked = {}) =>
  sendRequest(server.url, path, { ...asked, headers: { apikey: KEY, ...headers } });

describe('a cached read', () => {
  it('is cacheable for a minute, with an ETag for each encoding', async () => {
    const plain = await ask(RELEASED);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=60',
      'content-range': '0-39/*',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: VARY,
    });
    expect(plain.body.toString()).toBe(ROWS);
    const br = await ask(RELEASED, { headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    expect([br.headers['content-encoding'], br.headers.vary]).toEqual(['br', VARY]);
    expect(brotliDecompressSync(br.body).toString()).toBe(ROWS);
    expect(br.headers.etag).toBe(String(plain.headers.etag).replace(/"$/, '-br"'));
    expect(statements).toBe(0);
  });

  it('responds 304 to a client that has the same rows from an earlier release', async () => {
    const first = await ask(RELEASED);
    const tag = String(first.headers.etag);
    await release(ROWS);
    const again = await ask(RELEASED, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
    expect(again.headers).toMatchObject({ vary: VARY, 'cache-control': first.headers['cache-control'] });
    expect(again.headers).not.toHaveProperty('content-type');
    // The client has a copy in one encoding and now accepts another encoding.
    const other = { 'If-None-Match': tag, 'Accept-Encoding': 'br' };
    expect((await ask(RELEASED, { headers: other })).status).toBe(304);
    await release(`${ROWS} `);
    const changed = await ask(RELEASED, { headers: { 'If-None-Match': tag } });
    expect([changed.status, changed.body.toString()]).toEqual([200, `${ROWS} `]);
    expect((await ask(RELEASED, { headers: { 'If-None-Match': `"${tag}"` } })).status).toBe(200);
  });

  it('can be read by pages of other origins', async () => {
    const own = await ask(RELEASED);
    const other = await ask(RELEASED, { headers: { Origin: 'https://site.example' } });
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
    expect(other.headers['access-control-allow-origin']).toBe('*');
    expect(other.headers['access-control-expose-headers']).toMatch(
      /Content-Range.*, Age, ETag, Retry-After$/,
    );
    expect(other.headers.etag).toBe(own.headers.etag);
    const known = { Origin: 'https://site.example', 'If-None-Match': String(own.headers.etag) };
    const again = await ask(RELEASED, { headers: known });
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, '*']);
    const preflight = await ask(RELEASED, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://site.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'apikey,if-none-match',
      },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('apikey, if-none-match');
    expect(preflight.headers['cache-control']).toBe('no-store');
    expect(statements).toBe(0);
  });

  it('has its Age and no-store during a database outage, and is never 304', async () => {
    age = () => 90;
    const stale = await ask(RELEASED);
    expect([stale.status, stale.headers.age, stale.body.toString()]).toEqual([200, '90', ROWS]);
    expect(stale.headers['cache-control']).toBe('no-store');
    // After a 304, the browser would use the `Age` header of its stored response, which is too low.
    const known = await ask(RELEASED, { headers: { 'If-None-Match': String(stale.headers.etag) } });
    expect([known.status, known.headers.age, known.body.toString()]).toEqual([200, '90', ROWS]);
  });

  it('waits for the release under construction, unlike other reads', async () => {
    let finish = () => {};
    building = new Promise((resolve) => {
      finish = resolve;
    });
    const waiting = ask(RELEASED);
    expect((await ask()).status).toBe(200);
    await release('[]');
    finish();
    expect((await waiting).body.toString()).toBe('[]');
    expect(statements).toBe(1);
  });
});

describe('an uncached read', () => {
  it('queries the database for each request', async () => {
    const first = await ask();
    expect(first.body.toString()).toBe(ROWS);
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=60',
      vary: VARY,
    });
    expect((await ask()).status).toBe(200);
    expect(statements).toBe(2);
    const head = await ask(PATH, { method: 'HEAD' });
    expect([head.body.length, head.headers['content-length']]).toEqual([0, first.headers['content-length']]);
  });

  it('has no-store for a partial range of rows', async () => {
    const { status, headers } = await ask(PATH, { headers: { Prefer: 'count=exact' } });
    expect([status, headers['cache-control'], headers['content-range']]).toEqual([
      206,
      'no-store',
      '0-39/99',
    ]);
  });

  it('responds 503 during a database outage', async () => {
    failure = new DatabaseUnavailable('unreachable', 'The database is away.');
    const refused = await ask(`${PATH}?select=id&limit=7`);
    expect(refused.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
    expect([refused.status, JSON.parse(refused.body.toString()).code]).toEqual([503, 'PGRST000']);
    expect((await ask(RELEASED)).status).toBe(200);
  });

  it('allows pages of other origins to read an error', async () => {
    const headers = { Origin: 'https://site.example' };
    for (const path of [`${PATH}?select=none`, `${PATH}?apikey=wrong`]) {
      const refused = await ask(path, { headers });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('Content-Range'),
      });
    }
  });
});

// Node's HTTP client, which this test uses, rejects a head of more than 16 KB.
it.each([
  ['a read', (long: string) => ask(`${PATH}?id=neq.${long}`), 200],
  [
    'a read past the end',
    (long: string) => ask(`${PATH}?id=neq.${long}&offset=100`, { headers: { prefer: 'count=exact' } }),
    416,
  ],
  [
    'a preflight',
    (long: string) =>
      ask(PATH, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://other.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': `${'x'.repeat(60)},`.repeat(200) + long.slice(0, 1_000),
        },
      }),
    200,
  ],
] as const)(
  'the head of a response stays below 16 KB for the longest request: %s',
  async (_, send, status) => {
    expect((await send('('.repeat(15_000))).status).toBe(status);
  },
);

describe('the headers of a request', () => {
  const ODD: Record<string, string>[] = [
    { Accept: 'text/html' },
    { Accept: 'application/vnd.pgrst.object+json' },
    { Accept: 'application/json;nulls=stripped' },
    { Accept: 'undefined' },
    { Prefer: 'handling=strict, foo' },
    { Prefer: 'count=exact' },
    { Range: '5-2' },
    { Range: '1-2' },
    { 'Accept-Profile': 'collector' },
    { 'Accept-Profile': 'public' },
    { apikey: 'wrong' },
    { apikey: '' },
    { Authorization: 'Bearer wrong' },
    { 'X-Forwarded-Host': 'evil.example', 'X-Original-URL': '/rest/v1/nope' },
    { 'If-None-Match': '"x"', 'Cache-Control': 'no-cache' },
  ];
  it('are passed to the gate if they can change the response of a cached read', async () => {
    for (const headers of ODD) {
      const seen = async (path: string) => {
        const { status, headers: received, body: text } = await ask(path, { headers });
        const { date: _, etag: __, ...others } = received;
        return { status, others, text: text.toString() };
      };
      // This read equals a read of a release, but its parameters are in another order, so it has no key of a release.
      const gated = await seen(`${PATH}?limit=40&select=id`);
      expect(await seen(RELEASED), JSON.stringify(headers)).toEqual(gated);
    }
  });

  it('can have the public key wherever the gate accepts it', async () => {
    const bearer = { headers: { Authorization: `Bearer ${KEY}` } };
    expect((await sendRequest(server.url, RELEASED, bearer)).status).toBe(200);
    expect((await sendRequest(server.url, `${RELEASED}&apikey=${KEY}`)).status).toBe(200);
    expect(statements).toBe(0);
  });

  it('are refused without the public key, even for a cached read', async () => {
    expect((await sendRequest(server.url, RELEASED)).status).toBe(401);
    expect((await ask(RELEASED, { headers: { apikey: `${KEY}x` } })).status).toBe(401);
    expect((await ask(RELEASED, { headers: { Authorization: `Bearer ${KEY}x` } })).status).toBe(401);
    expect((await ask(`${RELEASED}&apikey=${KEY}x`)).status).toBe(401);
    expect((await sendRequest(server.url, `${RELEASED}&apikey=${KEY}x&apikey=${KEY}`)).status).toBe(401);
    expect(statements).toBe(0);
  });
});

it('an insert runs for each request and is not cached', async () => {
  const insert = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"id":1}' };
  for (const _ of [1, 2]) {
    const { status, headers } = await ask('/rest/v1/email_subscribers', insert);
    expect([status, headers['cache-control'], headers.etag]).toEqual([201, 'no-store', undefined]);
  }
  expect(statements).toBe(4);
});
