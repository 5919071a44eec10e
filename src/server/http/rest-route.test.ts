import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Row } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { type Asked, askServer } from '#tests/support/ask.ts';
import { toldWatch } from '#tests/support/told-watch.ts';
import { createServedGate, type ServedGate } from '../rest/served-gate.ts';
import { type App, createApp } from './app.ts';
import { listen } from './listen.ts';

const KEY = 'sb_publishable_test';
const PATH = '/rest/v1/market_metrics';
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const ROWS = JSON.stringify(
  Array.from({ length: 40 }, (_, id) => ({ id, created_at: '2026-11-13T21:00:00' })),
);
const columns = new Map([['id', 'bigint']]);
const TABLES = new Map(['market_metrics', 'email_subscribers'].map((name) => [name, { name, columns }]));
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const unused = () => Promise.reject(new Error('not used'));

let statements = 0;
let body = ROWS;
let failure: Error | null = null;
let now = Date.now();
const watch = toldWatch(() => now);

const database: Database = {
  engine: 'embedded',
  transaction: (work) =>
    work({
      query: async <R extends Row>(sql: string) => {
        statements += 1;
        if (failure !== null) throw failure;
        const total = sql.includes('null::bigint as total') ? null : 99;
        return [{ body, rows: 40, total }] as unknown as R[];
      },
      script: unused,
      copyIn: unused,
      copyOut: unused,
    }),
  listen: async () => async () => undefined,
  close: async () => undefined,
};

let gate: ServedGate;
let server: { url: string; close: () => Promise<void> };

beforeAll(async () => {
  const options = { database, tables: TABLES, publicKey: KEY, watch, now: () => now, log: silent };
  gate = createServedGate(options);
  const unasked = {} as Omit<App, 'gate' | 'log'>;
  server = await listen(createApp({ ...unasked, gate, log: silent }), '127.0.0.1', 0);
});
afterAll(async () => {
  await server.close();
  gate.close();
});
beforeEach(() => {
  // What was cached is so no longer.
  watch.version += 1;
  statements = 0;
  body = ROWS;
  failure = null;
});

const ask = (path = PATH, { headers = {}, ...asked }: Asked = {}) =>
  askServer(server.url, path, { ...asked, headers: { apikey: KEY, ...headers } });

describe('a read', () => {
  it('may be kept for a minute, by what decides its answer, and each encoding has its own tag', async () => {
    const plain = await ask();
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=60, stale-while-revalidate=60',
      'content-range': '0-39/*',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: VARY,
    });
    expect(plain.body.toString()).toBe(ROWS);
    // Asked for a second time, it is worth compressing, which takes a moment.
    const encoded = (encoding: string) =>
      expect.poll(async () => {
        const { headers } = await ask(PATH, { headers: { 'Accept-Encoding': encoding } });
        return headers['content-encoding'];
      });
    await encoded('br').toBe('br');
    await encoded('gzip').toBe('gzip');
    const br = await ask(PATH, { headers: { 'Accept-Encoding': 'gzip, deflate, br' } });
    const gzip = await ask(PATH, { headers: { 'Accept-Encoding': 'gzip;q=1.0, br;q=0' } });
    expect(brotliDecompressSync(br.body).toString()).toBe(ROWS);
    expect(gunzipSync(gzip.body).toString()).toBe(ROWS);
    const tags = [plain, br, gzip].map(({ headers }) => headers.etag);
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    expect([br, gzip].map(({ headers }) => headers.vary)).toEqual([VARY, VARY]);
    expect(statements).toBe(1);
  });

  it('is not sent again to a client that has it, also of an older version that says the same', async () => {
    const first = await ask();
    const tag = String(first.headers.etag);
    watch.version += 1;
    for (const known of [tag, `W/${tag}`, `"other" , ${tag}`, '*']) {
      const again = await ask(PATH, { headers: { 'If-None-Match': known } });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, tag]);
      expect(again.headers).toMatchObject({ vary: VARY, 'cache-control': first.headers['cache-control'] });
      expect([again.headers['content-type'], again.headers['content-length']]).toEqual([
        undefined,
        undefined,
      ]);
    }
    // A client that takes another encoding as well needs none of it.
    const other = { 'If-None-Match': tag, 'Accept-Encoding': 'br' };
    expect((await ask(PATH, { headers: other })).status).toBe(304);
    body = `${ROWS} `;
    watch.version += 1;
    const changed = await ask(PATH, { headers: { 'If-None-Match': tag } });
    expect([changed.status, changed.body.toString()]).toEqual([200, body]);
    expect((await ask(PATH, { headers: { 'If-None-Match': `"${tag}"` } })).status).toBe(200);
  });

  it('says the same to HEAD, without the rows', async () => {
    const { headers } = await ask();
    const head = await ask(PATH, { method: 'HEAD' });
    const { date: _, ...told } = head.headers;
    const { date: __, ...expected } = headers;
    expect([head.status, head.body.length, told]).toEqual([200, 0, expected]);
    expect(statements).toBe(1);
  });

  it('of a part is kept by nobody else, and is a part also for whoever asks a second time', async () => {
    for (const _ of [1, 2]) {
      const { status, headers } = await ask(PATH, { headers: { Prefer: 'count=exact' } });
      expect([status, headers['cache-control'], headers['content-range']]).toEqual([
        206,
        'no-store',
        '0-39/99',
      ]);
    }
    expect((await ask()).status).toBe(200);
    expect(statements).toBe(2);
  });

  it('can be read by pages of other origins, and is no other one for them', async () => {
    const own = await ask();
    const other = await ask(PATH, { headers: { Origin: 'https://site.example' } });
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
    expect(other.headers['access-control-allow-origin']).toBe('*');
    expect(other.headers['access-control-expose-headers']).toMatch(
      /Content-Range.*, Age, ETag, Retry-After$/,
    );
    expect(other.headers.etag).toBe(own.headers.etag);
    const known = { Origin: 'https://site.example', 'If-None-Match': String(own.headers.etag) };
    const again = await ask(PATH, { headers: known });
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, '*']);
    const preflight = await ask(PATH, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://site.example',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'apikey,if-none-match',
      },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('apikey, if-none-match');
    expect(preflight.headers['cache-control']).toBe('no-store');
    expect(statements).toBe(1);
  });

  it('has its age while the database is away, and is refused for some seconds where there is none', async () => {
    await ask();
    now += 90_500;
    watch.version += 1;
    failure = new DatabaseUnavailable('unreachable', 'The database is away.');
    const stale = await ask();
    expect([stale.status, stale.headers.age, stale.body.toString()]).toEqual([200, '90', ROWS]);
    expect(stale.headers['cache-control']).toBe('no-store');
    // A 304 would have the browser keep the age with its copy.
    const known = await ask(PATH, { headers: { 'If-None-Match': String(stale.headers.etag) } });
    expect([known.status, known.headers.age, known.body.toString()]).toEqual([200, '90', ROWS]);
    const refused = await ask(`${PATH}?select=id&limit=7`);
    expect(refused.headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' });
    expect([refused.status, JSON.parse(refused.body.toString()).code]).toEqual([503, 'PGRST000']);
    failure = null;
    now += 2_000;
    // Whoever asks first has the database asked whether it is back.
    await expect.poll(async () => (await ask()).headers.age).toBeUndefined();
  });
});

describe('the head of a response', () => {
  // The client of this test, as each of Node's, rejects a head of more than 16 KB.
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
  ] as const)('stays below 16 KB for the longest request: %s', async (_, asked, status) => {
    expect((await asked('('.repeat(15_000))).status).toBe(status);
  });

  it('has a Content-Location of up to 2,048 characters', async () => {
    const located = async (location: string) =>
      (await ask(`/rest/v1${location}`)).headers['content-location'];
    const longest = `/market_metrics?id=neq.${'1'.repeat(2_048 - 23)}`;
    expect(await located(longest)).toBe(longest);
    expect(await located(`${longest}1`)).toBeUndefined();
  });
});

describe('what somebody else asked', () => {
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
  const seen = async (headers: Record<string, string>) => {
    const { status, headers: told, body: text } = await ask(PATH, { headers });
    const { date: _, ...others } = told;
    return { status, others, text: text.toString() };
  };

  it('is nothing to a client, whatever headers it had', async () => {
    const alone: unknown[] = [];
    for (const headers of [{}, ...ODD]) {
      watch.version += 1;
      alone.push(await seen(headers));
    }
    // Each again after all the others, from the cache where it may be.
    for (const _ of [1, 2]) {
      for (const [at, headers] of [{}, ...ODD].entries()) expect(await seen(headers)).toEqual(alone[at]);
    }
  });

  it('is refused without the key, though it is there', async () => {
    await ask();
    await ask();
    expect((await askServer(server.url, PATH)).status).toBe(401);
    expect((await ask(PATH, { headers: { apikey: `${KEY}x` } })).status).toBe(401);
    expect((await ask(PATH, { headers: { Authorization: `Bearer ${KEY}x` } })).status).toBe(401);
    expect(statements).toBe(1);
  });
});

describe('an insert', () => {
  it('is kept by nobody, and done each time', async () => {
    const insert = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"id":1}' };
    for (const _ of [1, 2]) {
      const { status, headers } = await ask('/rest/v1/email_subscribers', insert);
      expect([status, headers['cache-control'], headers.etag]).toEqual([201, 'no-store', undefined]);
    }
    expect(statements).toBe(4);
  });
});

describe('a connection', () => {
  const wire = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\napikey: ${KEY}\r\n\r\n`;
  const open = async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  it('gets its answers in the order it asked, whether they are there or have to be read', async () => {
    await ask(`${PATH}?offset=0`);
    const offsets = Array.from({ length: 60 }, (_, at) => (at % 3 === 0 ? 0 : at));
    const socket = await open();
    socket.write(offsets.map((offset) => wire(`${PATH}?offset=${offset}`)).join(''));
    let received = '';
    for await (const chunk of socket) {
      received += String(chunk);
      if ((received.match(/Content-Location/g) ?? []).length === offsets.length) break;
    }
    const told = [...received.matchAll(/Content-Location: \/market_metrics\?offset=(\d+)/g)];
    expect(told.map(([, offset]) => Number(offset))).toEqual(offsets);
  });

  it('may bring more requests than ten thousand', async () => {
    await ask();
    const socket = await open();
    const MANY = 10_100;
    let answered = 0;
    let tail = '';
    socket.on('data', (chunk) => {
      const text = tail + chunk.toString('latin1');
      answered += text.split('HTTP/1.1 200 OK').length - 1;
      tail = text.slice(-14);
      if (tail.includes('HTTP/1.1 200 OK')) tail = '';
    });
    for (let at = 0; at < MANY; at += 100) {
      socket.write(wire(PATH).repeat(100));
      await expect.poll(() => answered, { interval: 1 }).toBe(at + 100);
    }
    socket.destroy();
  });

  it('that goes away, or reads nothing, takes nothing from the others', async () => {
    body = JSON.stringify([{ id: 'x'.repeat(400_000) }]);
    const slow = await Promise.all(Array.from({ length: 20 }, open));
    for (const socket of slow) {
      socket.pause();
      socket.write(wire(PATH).repeat(50));
    }
    const gone = await Promise.all(Array.from({ length: 20 }, open));
    for (const socket of gone) socket.write(wire(PATH), () => socket.resetAndDestroy());
    expect((await ask()).body.toString()).toBe(body);
    expect(statements).toBe(1);
    for (const socket of slow) socket.destroy();
  });
});
