import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryError } from '#queries/query-error.ts';
import { EMPTY_TEMPLATE } from '#tests/support/gate-server.ts';
import { type Asked, sendRequest } from '#tests/support/send-request.ts';
import { folderForTests } from '#tests/support/shared.ts';
import type { Document } from '../documents/document.ts';
import { listen } from '../http/listen.ts';
import { fileHeaders, loadBuiltPage } from '../http/page-files.ts';
import { toResource } from '../http/response.ts';
import { pageHeaders } from '../http/security-headers.ts';
import type { Log } from '../log.ts';
import { TooManyWaiting } from '../queue.ts';
import { operatorRoutes, type ServerState } from './operator-routes.ts';
import { createApp, documentRoutes, fileRoutes, type Route } from './routes.ts';

const SCRIPT = `console.log(${JSON.stringify('barometer '.repeat(200))});`;
const ASSET = '/assets/main-Ab3_x-9Z.js';
const IMAGE = Buffer.from('an image');
const METRICS_TOKEN = 'metrics-token';
let cardFailure: Error | null = null;
let missed = 0;
let state: ServerState = 'ok';
let ready = { database: 'ok', writes: 'ok', migrations: 'ok', data: 'ok' };

const logged: string[] = [];
const write = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
const log: Log = { info: write, warn: write, error: write };

const PAST_DAY = 'A past day';
const folder = folderForTests();
let server: { url: string; close: () => Promise<void> };
let port = 0;

const ask = (path: string, request?: Asked) => sendRequest(server.url, path, request);

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, ASSET), SCRIPT);
  writeFileSync(join(folder, `${ASSET}.br`), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, `${ASSET}.gz`), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'robots.txt'), 'User-agent: *\n');
  writeFileSync(join(folder, 'icon.png'), Buffer.alloc(2000));
  writeFileSync(join(folder, 'manifest.webmanifest'), '{}');
  writeFileSync(join(folder, 'service-worker.js'), SCRIPT);
  const page = toResource(Buffer.from(EMPTY_TEMPLATE), {
    ...fileHeaders('/index.html'),
    ...pageHeaders('<script>a()</script><style>b{}</style>', ['https://barometer.example']),
  });
  const text = (content: string) => ({ value: toResource(Buffer.from(content), {}), age: null });
  const documents: Document[] = [
    { path: '/', isLean: true, serve: async () => ({ value: page, age: null }) },
    { path: '/index.html', isLean: true, serve: async () => ({ value: page, age: null }) },
    { path: '/quality', serve: async () => ({ value: page, age: () => 90 }) },
    { path: '/signal.json', isOpen: true, serve: async () => text('signal') },
    {
      path: '/og.png',
      async serve() {
        if (cardFailure !== null) throw cardFailure;
        const headers = { ...fileHeaders('/og.png'), 'Cache-Control': 'public, max-age=300' };
        return { value: toResource(IMAGE, headers), age: null };
      },
    },
    {
      path: /^\/on(?:\/|$)/,
      async serve({ path }) {
        if (path === '/on/2026-11-12') throw new TooManyWaiting();
        return text(PAST_DAY);
      },
    },
    { path: /^\/ledger\//, serve: async () => null },
  ];
  const broken: Route[] = [
    { path: '/broken', handle: () => Promise.reject(new Error('It broke.')) },
    {
      path: '/broken-at-once',
      handle() {
        throw new Error('It broke.');
      },
    },
  ];
  writeFileSync(join(folder, 'index.html'), '');
  const { files } = await loadBuiltPage(folder, 'Barometer');
  const operator = operatorRoutes({
    missedPeriods: () => missed,
    readiness: async () => ready,
    state: () => state,
    metrics: async () => '# TYPE barometer_missed_periods gauge\nbarometer_missed_periods 0\n',
    metricsToken: METRICS_TOKEN,
  });
  const routes = [...fileRoutes(files), ...documentRoutes(documents, log), ...operator, ...broken];
  const app = createApp({ routes, productName: 'Barometer', log });
  server = await listen(app, '127.0.0.1', 0);
  port = Number(new URL(server.url).port);
});

afterAll(() => server.close());

describe('the page', () => {
  it('has the type of a page and is revalidated', async () => {
    const { status, headers } = await ask('/');
    const sent = [status, headers['content-type'], headers['cache-control']];
    expect(sent).toEqual([200, 'text/html; charset=utf-8', 'no-cache']);
  });

  it.each(['/', '/?date=2026-10-05', '/?/on/2026-10-05', '/index.html?on=2026-10-05'])(
    'is today’s at %s, never that of a past day',
    async (path) => {
      expect((await ask('/on/2026-10-05')).body.toString()).toBe(PAST_DAY);
      const { headers, body } = await ask(path);
      expect(body).toEqual((await ask('/')).body);
      expect(body.toString()).not.toBe(PAST_DAY);
      expect(headers).not.toHaveProperty('memento-datetime');
    },
  );

  it('allows the charting provider in frames only', async () => {
    const { headers } = await ask('/');
    const directives = String(headers['content-security-policy']).split(';');
    expect(directives.filter((directive) => directive.includes('tradingview'))).toEqual([
      'frame-src www.tradingview-widget.com',
    ]);
  });
});

it('a last version of a document is sent with its age', async () => {
  const { status, headers } = await ask('/quality');
  expect([status, headers.age, headers['cache-control']]).toEqual([200, '90', 'no-store']);
});

it('cache networks may store documents and files for a minute, and nothing stale, immutable or missing', async () => {
  const paths = [
    '/',
    '/signal.json',
    '/og.png',
    '/robots.txt',
    '/quality',
    ASSET,
    '/ledger/none',
    '/healthz',
  ];
  const headers = { 'X-Forwarded-For': '203.0.113.9' };
  const stored = await Promise.all(
    paths.map(async (path) => (await ask(path, { headers })).headers['cdn-cache-control']),
  );
  // A visitor's own request for the page gets the shortest response.
  expect((await ask('/')).headers).not.toHaveProperty('cdn-cache-control');
  const minute = 'max-age=60,stale-while-revalidate=60,stale-if-error=86400';
  expect(stored).toEqual([...Array(4).fill(minute), ...Array(4).fill(undefined)]);
});

describe('files', () => {
  it('are immutable if their name has a digest, otherwise revalidated', async () => {
    expect((await ask(ASSET)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await ask('/robots.txt')).headers['cache-control']).toBe('no-cache');
    expect((await ask(ASSET)).headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('have the types that browsers require', async () => {
    const typeOf = async (path: string) => (await ask(path)).headers['content-type'];
    expect(await typeOf('/manifest.webmanifest')).toBe('application/manifest+json; charset=utf-8');
    expect(await typeOf('/service-worker.js')).toBe('text/javascript; charset=utf-8');
    expect((await ask('/service-worker.js')).headers['cache-control']).toBe('no-cache');
  });

  it('are sent in the best encoding that the client accepts', async () => {
    const brotli = await ask(ASSET, { headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT);
    const gzip = await ask(ASSET, { headers: { 'Accept-Encoding': 'br;q=0, gzip' } });
    expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT);
    const plain = await ask(ASSET);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body.toString()).toBe(SCRIPT);
    for (const { headers } of [brotli, gzip, plain]) expect(headers.vary).toBe('Accept-Encoding');
    const image = await ask('/icon.png', { headers: { 'Accept-Encoding': 'br' } });
    expect(image.headers['content-encoding']).toBeUndefined();
  });

  it('are sent uncompressed if the build has not compressed them', async () => {
    const { headers, body } = await ask('/service-worker.js', { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect(body.toString()).toBe(SCRIPT);
  });

  it('respond 304 to a client that has the file', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const first = await ask(ASSET, { headers });
    const tag = String(first.headers.etag);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask(ASSET, { headers: { ...headers, 'If-None-Match': known } });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
    }
    expect((await ask(ASSET, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  it.each([
    // `tests/attack/paths.ts` has other ways out of the folder.
    '/../package.json',
    '/assets',
    '/constructor',
    `${ASSET}.br`,
    `${ASSET}.gz`,
    '/nothing',
  ])('outside the build do not exist: %s', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([status, body.toString()]).toEqual([404, 'This page does not exist.\n']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('outside the build are a page with a link to the dashboard for a browser', async () => {
    const { status, headers, body } = await ask('/a/nothing', { headers: { accept: 'text/html,*/*' } });
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
    expect(body.toString()).toContain('<h1>This page does not exist.</h1>');
    expect(body.toString()).toContain('<a href="../">Open the dashboard</a>');
  });

  it('allow GET and HEAD only', async () => {
    const { status, headers } = await ask('/', { method: 'POST', body: 'x' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

it.each([
  ['the data cannot be read', new QueryError('failed_to_fetch')],
  [
    'it cannot be drawn',
    new Error('The thread that draws the share image ended without an image. The next request retries.'),
  ],
])('a document of the release is a sentence with 503 and no-store while %s', async (_, failure) => {
  cardFailure = failure;
  const { status, headers, body } = await ask('/og.png');
  cardFailure = null;
  expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '60', 'no-store']);
  expect(body.toString()).toBe('This document cannot be built at the moment. Try again in a minute.\n');
});

it('a handler that fails causes a 500 and a log line without the address', async () => {
  for (const path of ['/broken?email=eq.a@b.co', '/broken-at-once?email=eq.a@b.co']) {
    logged.length = 0;
    const { status, body } = await ask(path);
    expect([status, body.toString()]).toEqual([500, 'Something went wrong.\n']);
    expect(logged).toEqual(['{"event":"request failed","method":"GET","reason":"It broke."}']);
  }
});

describe('the server', () => {
  it('responds 200 to /healthz even if its schedule is behind', async () => {
    for (missed of [0, 1]) expect((await ask('/healthz')).body.toString()).toBe('ok\n');
    missed = 2;
    const { status, body } = await ask('/healthz');
    missed = 0;
    expect([status, body.toString()]).toEqual([
      200,
      'ok\nThe last 2 scheduled runs are missing; see the log.\n',
    ]);
  });

  it('responds 200 to /readyz, or 503 if a check fails', async () => {
    const { status, headers, body } = await ask('/readyz');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(body.toString())).toEqual({ ready: true, checks: { server: 'ok', ...ready } });
    ready = { ...ready, data: '2 sessions behind' };
    const behind = await ask('/readyz');
    expect(behind.status).toBe(503);
    expect(JSON.parse(behind.body.toString())).toEqual({ ready: false, checks: { server: 'ok', ...ready } });
  });

  it('responds to /readyz?only=server without the database', async () => {
    ready = { ...ready, database: 'does not respond' };
    const ownState = async () => {
      const { status, body } = await ask('/readyz?only=server');
      return [status, JSON.parse(body.toString())];
    };
    expect(await ownState()).toEqual([200, { ready: true, checks: { server: 'ok' } }]);
    state = 'stopping';
    expect(await ownState()).toEqual([503, { ready: false, checks: { server: 'stopping' } }]);
    ready = { database: 'ok', writes: 'ok', migrations: 'ok', data: 'ok' };
    expect((await ask('/readyz')).status).toBe(503);
    state = 'ok';
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('sends its metrics to other machines only with the token', async () => {
    const elsewhere = { 'X-Forwarded-For': '203.0.113.1' };
    const bearer = (token: string) => ({ ...elsewhere, Authorization: `Bearer ${token}` });
    const { status, headers, body } = await ask('/metrics');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body.toString()).toContain('barometer_missed_periods 0\n');
    expect((await ask('/metrics', { headers: bearer(METRICS_TOKEN) })).status).toBe(200);
    for (const refused of [elsewhere, bearer('wrong')]) {
      const response = await ask('/metrics', { headers: refused });
      expect([response.status, response.body.toString()]).toEqual([404, 'This page does not exist.\n']);
    }
  });

  it('rejects with a sentence if its port is in use', async () => {
    await expect(listen(() => {}, '127.0.0.1', port)).rejects.toThrow(`Port ${port} is in use`);
  });

  it('refuses headers that are too large [T7]', async () => {
    expect((await ask('/', { headers: { Cookie: 'x'.repeat(20_000) } })).status).toBe(431);
  });
});
