import { beforeAll, describe, expect, it } from 'vitest';
import { makeToken, readSigningKey } from '#mailer/subscribers/token.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { AWAY, failingDatabase, KEY, startTestServer } from '#tests/support/gate-server.ts';
import { type Answer, type Asked, sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'];

const { database } = databaseOfTheseTests();
const data = failingDatabase(database);
let isBroken = false;
/** Paths of requests without headers. */
const PLAIN = [
  ...['/index.html', '/icon.svg', '/service-worker.js', '/manifest.webmanifest', '/nothing', '/og.png'],
  ...['/..%2f..%2fetc/passwd', '/signal.json', '/signals.csv', '/fear-greed.csv', '/feed.atom', '/feed.json'],
  ...['/grades.atom', '/badge.svg', '/badge.json', '/openapi.json', '/oembed', '/record', '/quality'],
  ...['/oembed?url=https://barometer.example/', '/llms.txt', '/embed', '/ledger/checkpoint', '/healthz'],
  ...['/ledger/tile/0/000', '/readyz', '/readyz?only=server', '/metrics', '/unsubscribe/nonsense'],
  ...['/confirm/', '/rest/v1', '/rest/v1/', '/rest/v1/market_metrics'],
];
/** Every route, with the headers and bodies to send. */
let routes: [path: string, request?: Asked][];

const startServer = () =>
  startTestServer(data.database, {
    // Refuses every request of a client behind a proxy, and none from this machine.
    config: { publicUrl: 'https://barometer.example', ratePerSecond: 0.001 },
    waitMs: undefined,
    jobs: {
      metrics: { families: () => [] } as never,
      missedPeriods: () => {
        if (isBroken) throw new Error('It broke.');
        return 0;
      },
    },
  });
const server = shared(startServer);

beforeAll(async () => {
  const token = makeToken(await readSigningKey(database), 'unsubscribe', crypto.randomUUID());
  const asAnon = (more: Record<string, string> = {}) => ({ headers: { apikey: KEY, ...more } });
  const page = await sendRequest(server.url, '/');
  routes = [
    ['/'],
    ['/', { headers: { 'If-None-Match': String(page.headers.etag) } }],
    ['/', { headers: { 'Accept-Encoding': 'br' } }],
    ['/mcp', { headers: { 'Content-Type': 'application/json' } }],
    ['/metrics', { headers: { 'X-Forwarded-Host': 'barometer.example' } }],
    [`/unsubscribe/${token}`],
    [`/unsubscribe/${token}`, { body: 'x'.repeat(9_000) }],
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
    ...PLAIN.map((path): [string] => [path]),
  ];
});

type Labelled = Answer & { label: string };

const SITUATIONS = [
  ['all parts work', false, false, METHODS],
  ['the database is away', true, false, ['GET', 'POST']],
  ['a part throws', false, true, ['GET']],
] as const;

/** Sends a request with each method to each route, in each situation of the server. */
async function sweep(url: string): Promise<Labelled[]> {
  const responses: Labelled[] = [];
  for (const [situation, away, broken, methods] of SITUATIONS) {
    [data.failure, isBroken] = [away ? AWAY : null, broken];
    const pending = routes.flatMap(([path, { headers, body = '' } = {}]) =>
      methods.map(async (method) => {
        const hasBody = method !== 'GET' && method !== 'HEAD';
        const all = { ...headers, ...(hasBody && { 'Content-Length': String(body.length) }) };
        const response = await sendRequest(url, path, { method, headers: all, ...(hasBody && { body }) });
        return { ...response, label: `${method} ${path} while ${situation}: ${response.status}` };
      }),
    );
    responses.push(...(await Promise.all(pending)));
  }
  [data.failure, isBroken] = [null, false];
  return responses;
}

/** True for the response that other sites may frame: the card at `/embed`. */
const isCard = ({ label, status }: Labelled) => / \/embed while /.test(label) && status === 200;

const labels = (responses: readonly Labelled[]) => responses.map(({ label }) => label);

describe('every response of all routes, methods and failures', () => {
  let responses: Labelled[];
  beforeAll(async () => {
    responses = await sweep(server.url);
  });

  const of = (type: string) =>
    responses.filter(({ headers }) => String(headers['content-type']).startsWith(type));
  const without = (name: string, wanted: RegExp, among = responses) =>
    labels(among.filter(({ headers }) => !wanted.test(String(headers[name]))));

  it('has one of the expected statuses', () => {
    const statuses = [...new Set(responses.map(({ status }) => status))].sort();
    expect(statuses).toEqual(
      expect.arrayContaining([200, 304, 400, 401, 404, 405, 406, 413, 416, 429, 500, 503]),
    );
  });

  it('has headers for TLS, types, referrers and caching [T14]', () => {
    expect(without('strict-transport-security', /^max-age=31536000$/)).toEqual([]);
    expect(without('x-content-type-options', /^nosniff$/)).toEqual([]);
    expect(without('referrer-policy', /^(no-referrer|strict-origin)$/)).toEqual([]);
    expect(without('cache-control', /^(no-store|no-cache|public, max-age=\d+.*)$/)).toEqual([]);
  });

  it('allows no script or style by a general source [T10]', () => {
    const loose = responses.filter(({ headers }) =>
      /unsafe|\*|http:/.test(
        String(headers['content-security-policy'] ?? '').replace('frame-ancestors *', ''),
      ),
    );
    expect(labels(loose)).toEqual([]);
  });

  it('restricts sources, framing and devices if it is a page [T13]', () => {
    const pages = of('text/html').filter((response) => response.status !== 304 && !isCard(response));
    expect(pages.length).toBeGreaterThan(30);
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

  it('cannot be framed by another site, except the card [T13]', () => {
    // A 304 is left out: a browser applies the headers of its stored response instead.
    const framed = responses.filter(
      ({ status, headers }) =>
        status !== 304 &&
        headers['x-frame-options'] !== 'DENY' &&
        !String(headers['content-security-policy']).includes("frame-ancestors 'none'"),
    );
    expect(framed.filter((response) => !isCard(response)).map(({ label }) => label)).toEqual([]);
    expect(framed.length).toBeGreaterThan(0);
    const policy =
      /^default-src 'none';style-src 'sha256-[^']+';frame-ancestors \*;form-action 'none';base-uri 'none'$/;
    expect(without('content-security-policy', policy, framed)).toEqual([]);
  });

  it('may be read by the pages of any site if it is an output', () => {
    const outputs = responses.filter(({ label }) =>
      /^GET \/(signal|fear-greed|feed|grades|badge|openapi|embed|oembed|llms)/.test(label),
    );
    expect(outputs.length).toBeGreaterThan(20);
    expect(without('access-control-allow-origin', /^\*$/, outputs)).toEqual([]);
  });

  it('allows no content at all if it is plain text', () => {
    const sentences = of('text/plain').filter(
      ({ headers }) => !String(headers['content-type']).includes('version='),
    );
    expect(sentences.length).toBeGreaterThan(100);
    expect(
      without('content-security-policy', /^default-src 'none'; frame-ancestors 'none'$/, sentences),
    ).toEqual([]);
  });

  it('is 429 over the rate limit, in the format of its route', () => {
    const refused = responses.filter(({ status }) => status === 429);
    expect(without('retry-after', /^1$/, refused)).toEqual([]);
    const bodies = refused.map(({ body }) => body.toString()).filter((body) => body !== '');
    const [sentence = '', json = '', ...others] = [...new Set(bodies)].sort();
    expect(sentence).toMatch(/^There were too many requests .*\.\n$/);
    expect(JSON.parse(json)).toEqual({ code: 'PT429', details: null, hint: null, message: sentence.trim() });
    expect(others).toEqual([]);
  });

  it('has no rate limit for supervisors and load balancers', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    for (const [path, status] of [
      ['/healthz', 200],
      ['/readyz?only=server', 200],
      ['/readyz', 429],
    ] as const) {
      expect([path, (await sendRequest(server.url, path, { headers })).status]).toEqual([path, status]);
    }
  });

  it('has no redirect, no cookie and no name of a program [T18]', () => {
    for (const name of ['location', 'refresh', 'set-cookie', 'server', 'x-powered-by']) {
      expect(without(name, /^undefined$/), name).toEqual([]);
    }
  });
});
