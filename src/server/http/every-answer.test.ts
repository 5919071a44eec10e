import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { makeToken, readSigningKey } from '#mailer/subscribers/token.ts';
import { type Answer, type Asked, askServer } from '#tests/support/ask.ts';
import {
  DRAW_WORKER_URL,
  type EmbeddedForTest,
  embeddedForTest,
  MIGRATIONS,
} from '#tests/support/embedded.ts';
import { ROOT } from '../../../scripts/set-up.mjs';
import { startServer } from '../start-server.ts';

const KEY = 'sb_publishable_test';
const silent = { info() {}, warn() {}, error() {} };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'];

let embedded: EmbeddedForTest;
let server: Awaited<ReturnType<typeof startServer>>;
let isAway = false;
let isBroken = false;
/** Every path, and what is asked of it, beside each method. */
let routes: [path: string, asked?: Asked][];

beforeAll(async () => {
  embedded = await embeddedForTest();
  const database: Database = {
    ...embedded.database,
    transaction: (work, options) =>
      isAway
        ? Promise.reject(new DatabaseUnavailable('unreachable', 'The database is away.'))
        : embedded.database.transaction(work, options),
  };
  server = await startServer({
    database,
    migrationsFolder: MIGRATIONS,
    clientFolder: join(ROOT, 'dist', 'client'),
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: 'https://barometer.example',
      productName: 'Barometer',
      // Too little for a single request of a client that a proxy names.
      ratePerSecond: 0.001,
    },
    anonKey: KEY,
    jobs: {
      metrics: { families: () => [] } as never,
      missedPeriods: () => {
        if (isBroken) throw new Error('It broke.');
        return 0;
      },
    },
    drawWorkerUrl: DRAW_WORKER_URL,
    now: Date.now,
    log: silent,
  });
  const token = makeToken(await readSigningKey(embedded.database), 'unsubscribe', crypto.randomUUID());
  const asAnon = (more: Record<string, string> = {}) => ({ headers: { apikey: KEY, ...more } });
  const page = await askServer(server.url, '/');
  routes = [
    ['/'],
    ['/', { headers: { 'If-None-Match': String(page.headers.etag) } }],
    ['/', { headers: { 'Accept-Encoding': 'br' } }],
    ['/index.html'],
    ['/icon.svg'],
    ['/service-worker.js'],
    ['/manifest.webmanifest'],
    ['/nothing'],
    ['/..%2f..%2fetc/passwd'],
    ['/og.png'],
    ['/healthz'],
    ['/readyz'],
    ['/readyz?only=server'],
    ['/metrics'],
    ['/metrics', { headers: { 'X-Forwarded-Host': 'barometer.example' } }],
    ['/unsubscribe/nonsense'],
    [`/unsubscribe/${token}`],
    [`/unsubscribe/${token}`, { body: 'x'.repeat(9_000) }],
    ['/confirm/'],
    ['/rest/v1'],
    ['/rest/v1/'],
    ['/rest/v1/market_metrics'],
    ['/rest/v1/market_metrics', asAnon()],
    ['/rest/v1/market_metrics', asAnon({ Origin: 'https://elsewhere.example' })],
    ['/rest/v1/market_metrics', asAnon({ Range: '7-9', Prefer: 'count=exact' })],
    ['/rest/v1/market_metrics', asAnon({ 'Accept-Profile': 'mailer' })],
    ['/rest/v1/market_metrics?select=nothing', asAnon()],
    ['/rest/v1/email_subscribers', asAnon()],
    ['/rest/v1/rpc/version', asAnon()],
    ['/', { headers: { 'X-Forwarded-For': '203.0.113.9' } }],
    ['/rest/v1/market_metrics', asAnon({ 'X-Forwarded-For': '203.0.113.9' })],
    ['/', { headers: { Cookie: 'x'.repeat(9_000) } }],
  ];
});

afterAll(async () => {
  await server?.close();
  await embedded?.remove();
});

type Told = Answer & { asked: string };

const SITUATIONS = [
  ['all is well', false, false, METHODS],
  ['the database is away', true, false, ['GET', 'POST']],
  ['a part throws', false, true, ['GET']],
] as const;

/** All routes by all methods, and what reads or writes in each situation. */
async function sweep(url: string): Promise<Told[]> {
  const answers: Told[] = [];
  for (const [situation, away, broken, methods] of SITUATIONS) {
    [isAway, isBroken] = [away, broken];
    const asking = routes.flatMap(([path, { headers, body = '' } = {}]) =>
      methods.map(async (method) => {
        const hasBody = method !== 'GET' && method !== 'HEAD';
        const all = { ...headers, ...(hasBody && { 'Content-Length': String(body.length) }) };
        const answer = await askServer(url, path, { method, headers: all, ...(hasBody && { body }) });
        return { ...answer, asked: `${method} ${path} while ${situation}: ${answer.status}` };
      }),
    );
    answers.push(...(await Promise.all(asking)));
  }
  [isAway, isBroken] = [false, false];
  return answers;
}

const asked = (answers: readonly Told[]) => answers.map((answer) => answer.asked);

describe('every answer, of all routes by all methods, whatever befalls the server', () => {
  let answers: Told[];
  beforeAll(async () => {
    answers = await sweep(server.url);
  });

  const of = (type: string) =>
    answers.filter(({ headers }) => String(headers['content-type']).startsWith(type));
  const without = (name: string, wanted: RegExp, among = answers) =>
    asked(among.filter(({ headers }) => !wanted.test(String(headers[name]))));

  it('comes in every status there is', () => {
    const statuses = [...new Set(answers.map(({ status }) => status))].sort();
    expect(statuses).toEqual(
      expect.arrayContaining([200, 304, 400, 401, 404, 405, 406, 413, 416, 429, 500, 503]),
    );
  });

  it('has browsers come back over TLS, guess no type, and tell others no more than an origin [T14]', () => {
    expect(without('strict-transport-security', /^max-age=31536000$/)).toEqual([]);
    expect(without('x-content-type-options', /^nosniff$/)).toEqual([]);
    expect(without('referrer-policy', /^(no-referrer|strict-origin)$/)).toEqual([]);
    expect(without('cache-control', /^(no-store|no-cache|public, max-age=\d+.*)$/)).toEqual([]);
  });

  it('lets nothing run that is not named [T10]', () => {
    const loose = answers.filter(({ headers }) =>
      /unsafe|\*|http:/.test(String(headers['content-security-policy'] ?? '')),
    );
    expect(asked(loose)).toEqual([]);
  });

  it('where it is a page lets its own scripts and styles run alone, nobody frame it, and no device be used [T13]', () => {
    const pages = of('text/html').filter(({ status }) => status !== 304);
    expect(pages.length).toBeGreaterThan(50);
    const policy = 'content-security-policy';
    for (const needed of [
      /default-src '(self|none)'/,
      /frame-ancestors 'none'/,
      /base-uri 'none'/,
      /form-action 'self'/,
    ]) {
      expect(without(policy, needed, pages)).toEqual([]);
    }
    expect(without('permissions-policy', /camera=\(\),microphone=\(\),geolocation=\(\)/, pages)).toEqual([]);
    expect(without('cross-origin-opener-policy', /^same-origin/, pages)).toEqual([]);
  });

  it('where it is a sentence is no page to anybody', () => {
    const sentences = of('text/plain').filter(
      ({ headers }) => !String(headers['content-type']).includes('version='),
    );
    expect(sentences.length).toBeGreaterThan(100);
    expect(
      without('content-security-policy', /^default-src 'none'; frame-ancestors 'none'$/, sentences),
    ).toEqual([]);
  });

  it('to a client that asks too much is a sentence, or what its reads get of every refusal', () => {
    const refused = answers.filter(({ status }) => status === 429);
    expect(without('retry-after', /^1$/, refused)).toEqual([]);
    const bodies = refused.map(({ body }) => body.toString()).filter((body) => body !== '');
    const [sentence = '', json = '', ...others] = [...new Set(bodies)].sort();
    expect(sentence).toMatch(/^There were too many requests .*\.\n$/);
    expect(JSON.parse(json)).toEqual({ code: 'PT429', details: null, hint: null, message: sentence.trim() });
    expect(others).toEqual([]);
  });

  it('to a supervisor or a balancer is how the server is, however much is asked from its address', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    for (const [path, status] of [
      ['/healthz', 200],
      ['/readyz?only=server', 200],
      ['/readyz', 429],
    ] as const) {
      expect([path, (await askServer(server.url, path, { headers })).status]).toEqual([path, status]);
    }
  });

  it('sends nobody elsewhere, sets no cookie and names no program [T18]', () => {
    for (const name of ['location', 'refresh', 'set-cookie', 'server', 'x-powered-by']) {
      expect(without(name, /^undefined$/), name).toEqual([]);
    }
  });
});
