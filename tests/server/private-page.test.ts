import { beforeAll, describe, expect, it } from 'vitest';
import { makeToken, readSigningKey } from '#mailer/subscribers/token.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { KEY, startTestServer } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { type Asked, sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

/** With characters that a form, a cookie and a URL write in other ways. */
const PASSWORD = ' pä%ss;w+örd="&<€ 💰';
const DAY = 86_400_000;
const REPORT_TOKEN = 'a-long-token-for-reports';

const { database } = databaseOfTheseTests();
let now = Date.parse('2026-11-13T21:30:00Z');
const logged: string[] = [];
const write = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));

const start = (pagePassword: string) =>
  startTestServer(database, {
    config: {
      ...{ publicUrl: 'https://market.example', pagePassword },
      ...{ reportToken: REPORT_TOKEN, metricsToken: 'metrics' },
    },
    now: () => now,
    log: { info: write, warn: write, error: write },
  });

beforeAll(() => writeTables(database, MIDDLING));
const server = shared(() => start(PASSWORD));

/** Forwarded as by a proxy on this machine, because requests of this machine itself have no limit. */
const from = (address: string) => ({ 'x-forwarded-for': address, accept: 'text/html' });
const ask = (path: string, asked?: Asked, url = server.url) => sendRequest(url, path, asked);
const enter = (password: string, { path = '/', address = '192.0.2.1', url = server.url } = {}) =>
  ask(
    path,
    {
      method: 'POST',
      headers: { ...from(address), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    },
    url,
  );
const cookieOf = async () => String((await enter(PASSWORD)).headers['set-cookie']).split(';')[0] ?? '';

/** Addresses of the routes with a pattern, and of no route. */
const PATHS = [
  ...['/record/2026-W46', '/on/2026-11-13', '/on/2026-11-13.json', '/on/2026-11-13.png', '/on', '/nothing'],
  ...['/oembed?url=https://market.example/', `/rest/v1/market_metrics?apikey=${KEY}`, '/rest/v1/'],
  ...['/ledger/checkpoint', '/ledger/key', '/unsubscribe/x', '/confirm/x', '/mail/reports'],
  ...['//evil.example/', '/%2e%2e/', '/healthz/', '/HEALTHZ'],
];
const HEALTH = ['/healthz', '/readyz'];

/** Every address of the server that must be closed to strangers. */
function closedPaths(): string[] {
  const fixed = server.paths.flatMap((path) => (typeof path === 'string' ? [path] : []));
  const patterns = server.paths.filter((path) => typeof path !== 'string');
  expect(patterns.filter((pattern) => !PATHS.some((path) => pattern.test(path)))).toEqual([]);
  return [...PATHS, ...fixed.filter((path) => !HEALTH.includes(path))];
}

describe('a private page', () => {
  it.each(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])(
    'responds 401 to %s of a stranger at every address',
    async (method) => {
      const open: string[] = [];
      const paths = closedPaths();
      for (const path of paths) {
        const { status, headers, body } = await ask(path, {
          method,
          headers: { 'x-forwarded-for': '192.0.2.9' },
        });
        const isClosed = status === 401 && headers['cache-control'] === 'no-store';
        if (!isClosed || headers['x-robots-tag'] !== 'noindex' || body.length > 200)
          open.push(`${path}: ${status}`);
      }
      expect(paths.length).toBeGreaterThan(40);
      expect(open).toEqual([]);
    },
  );

  it('lets supervisors read the health', async () => {
    const statuses = await Promise.all(['/healthz', '/readyz?only=server'].map((path) => ask(path)));
    expect(statuses.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('lets a signed link and the holders of tokens in', async () => {
    const token = makeToken(await readSigningKey(database), 'unsubscribe', crypto.randomUUID());
    const headers = { 'x-forwarded-for': '192.0.2.9' };
    const link = await ask(`/unsubscribe/${token}`, { method: 'POST', headers });
    const report = await ask('/mail/reports', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${REPORT_TOKEN}` },
    });
    const metrics = await ask('/metrics', { headers: { ...headers, authorization: 'Bearer metrics' } });
    expect([link.status, report.status, metrics.status]).not.toContain(401);
  });

  it('opens for the password with a cookie that scripts and other sites cannot use', async () => {
    const entered = await enter(`${PASSWORD} `.normalize('NFD'), { path: '/record?x=1' });
    expect([entered.status, entered.headers.location]).toEqual([303, './record?x=1']);
    expect(entered.headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^barometer_visitor=\d+\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const cookie = `other=1; ${String(entered.headers['set-cookie']).split(';')[0]}`;
    for (const path of ['/', '/signal.json', `/rest/v1/market_metrics?apikey=${KEY}`, '/og.png']) {
      const { status, headers } = await ask(path, { headers: { cookie, 'x-forwarded-for': '192.0.2.9' } });
      expect([path, status, headers['x-robots-tag']]).toEqual([path, 200, 'noindex']);
      expect(headers['cache-control']).toMatch(/^private\b(?!.*(?:public|s-maxage))/);
      expect(headers).not.toHaveProperty('cdn-cache-control');
    }
    expect((await ask('/nothing', { headers: { cookie } })).status).toBe(404);
  });

  it.each([
    ['quotes and separators', 'a"b\';c, d=e&f%25+%'],
    ['a line break', 'first line\nsecond line\r\nthird'],
    ['other scripts', 'пароль 密码 🗝️ é'],
    ['spaces around it', '   hush hush   '],
    ['200 characters', 'ö'.repeat(200)],
  ])('opens for a password with %s by form and cookie', async (_, password) => {
    const { pagePassword } = readEnvironment({ AUDIENCE: 'private', PAGE_PASSWORD: password });
    const other = await start(pagePassword ?? '');
    try {
      const entered = await enter(password, { url: other.url });
      const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
      const opened = await ask('/', { headers: { cookie } }, other.url);
      const wrong = await enter(`${password}x`, { url: other.url });
      expect([entered.status, opened.status, wrong.status]).toEqual([303, 200, 401]);
    } finally {
      await other.close();
    }
  });

  it('never redirects to another site', async () => {
    const places = await Promise.all(
      ['//evil.example', '//evil.example/', '/\\evil.example', '/a//b'].map((path) =>
        enter(PASSWORD, { path, address: '192.0.2.2' }),
      ),
    );
    expect(places.map(({ headers }) => headers.location)).toEqual([
      './evil.example',
      './',
      './\\evil.example',
      './b',
    ]);
  });

  it('refuses an old, a changed and another password’s cookie', async () => {
    const cookie = await cookieOf();
    const statusOf = async (value: string, url?: string) =>
      (await ask('/', { headers: { cookie: value } }, url)).status;
    const last = cookie.at(-2) === 'A' ? 'B' : 'A';
    const changed = [
      `${cookie.slice(0, -2)}${last}${cookie.at(-1)}`,
      cookie.replace(/=\d/, '=9'),
      cookie.slice(0, -1),
      'barometer_visitor=',
    ];
    expect(await Promise.all([cookie, ...changed].map((value) => statusOf(value)))).toEqual([
      200, 401, 401, 401, 401,
    ]);
    const other = await start('another password');
    expect(await statusOf(cookie, other.url)).toBe(401);
    await other.close();
    now += 31 * DAY;
    expect(await statusOf(cookie)).toBe(401);
    now -= 31 * DAY;
  });

  it('compares only the first guesses of a network, refuses the others, and logs none [T26]', async () => {
    const statuses = new Map<number, number>();
    for (let guess = 0; guess < 100; guess += 1) {
      const { status } = await enter(`guess ${guess}`, { address: '198.51.100.7' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    // One more guess is allowed every two seconds, however slow this computer is.
    expect(statuses.get(401)).toBeGreaterThanOrEqual(5);
    expect([...statuses.keys()].sort()).toEqual([401, 429]);
    expect((await enter(PASSWORD, { address: '203.0.113.5' })).status).toBe(303);
    expect(logged.join()).not.toContain('guess 1');
    expect(logged.join()).not.toContain(PASSWORD);
  });
});
