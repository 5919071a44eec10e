import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, get } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FOR_NETWORKS } from '#server/app/routes.ts';
import { hasNginx } from '#tests/support/debian.ts';
import { freePort } from '#tests/support/free-port.ts';
import { addressFor, startHostedDemonstration } from '#tests/support/hosted-project.ts';
import { startLoopback } from '#tests/support/loopback.ts';
import { type Answer, type Nginx, startNginx } from '#tests/support/nginx.ts';
import { hasPostgrest, startPostgrest } from '#tests/support/postgrest.ts';
import { type Product, startProduct } from '#tests/support/product.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';

const CONFIG = '/etc/nginx/barometer';
const SHIPPED = {
  '/etc/nginx/conf.d/barometer.conf': 'deploy/nginx/barometer.conf',
  [`${CONFIG}/upstreams.conf`]: 'deploy/nginx/upstreams.conf',
  [`${CONFIG}/forwarded.conf`]: 'deploy/nginx/forwarded.conf',
  [`${CONFIG}/log.conf`]: 'deploy/nginx/log.conf',
  [`${CONFIG}/rest.conf`]: 'deploy/nginx/rest-gate.conf',
};
const OVER_POSTGREST = { ...SHIPPED, [`${CONFIG}/rest.conf`]: 'deploy/nginx/rest-postgrest.conf' };
const SERVERS = ['127.0.0.1:4321', '127.0.0.1:4322'] as const;
const LOG = '/var/log/nginx/barometer.log';
const ERROR_LOG = '/var/log/nginx/barometer-error.log';

const PUBLIC = Object.fromEntries([FOR_NETWORKS]);

const hostOf = (url: string) => new URL(url).host;
/** Replaces the servers of the recipe by those of a test. */
const upstreams = (servers: readonly { url: string }[]) =>
  Object.fromEntries(SERVERS.map((server, at) => [server, hostOf(servers[at]?.url ?? '')]));
const valuesOf = ({ rawHeaders }: Answer, name: string) =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

describe.runIf(hasNginx())('nginx with the recipe, in front of two stub servers', () => {
  const servers = [shared(startLoopback), shared(startLoopback)] as const;
  const nginx = shared(() =>
    startNginx({
      files: SHIPPED,
      replaced: upstreams(servers),
      contents: new Map([['/var/www/html/.well-known/acme-challenge/token', 'proof']]),
    }),
  );

  /** Sets the handler of both servers and resets their counts. */
  const both = (handler: (request: IncomingMessage, response: ServerResponse) => unknown) => {
    for (const server of servers) {
      server.asked.length = 0;
      server.handler = (request, response) => void handler(request, response);
    }
  };
  const asked = () => servers.flatMap((server) => server.asked);
  const answering = (headers: Record<string, string>, status = 200) =>
    both((_, response) => response.writeHead(status, headers).end('answered'));

  it('sends cached responses without a request to a server', async () => {
    answering({ 'Cache-Control': 'public, max-age=60' });
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await nginx.ask('/rest/v1/kept?select=a'));
    expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['MISS', 'HIT', 'HIT']);
    expect(asked()).toEqual(['/rest/v1/kept?select=a']);
  });

  it.each([
    ['an insert', { method: 'POST', body: '[]' }, { 'Cache-Control': 'public, max-age=60' }],
    ['a response with no-store', {}, { 'Cache-Control': 'no-store' }],
    ['a response without cache headers', {}, { 'Content-Type': 'application/json' }],
    ['a response with a cookie', {}, { 'Cache-Control': 'public, max-age=60', 'Set-Cookie': 'a=b' }],
  ])('does not cache %s', async (what, request, headers) => {
    answering(headers);
    const path = `/rest/v1/never?${encodeURIComponent(what)}`;
    await nginx.ask(path, request);
    await nginx.ask(path, request);
    expect(asked()).toHaveLength(2);
  });

  const tagged = { 'Cache-Control': 'no-cache', ETag: '"tag"' };

  it('caches a document with CDN-Cache-Control, and confirms the copy of a visitor itself', async () => {
    answering({ ...tagged, ...PUBLIC });
    const answers = [await nginx.ask('/'), await nginx.ask('/')];
    answers.push(await nginx.ask('/', { headers: { 'If-None-Match': '"tag"' } }));
    expect(answers.map(({ status, headers }) => [status, headers['x-cache']])).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
      [304, 'HIT'],
    ]);
    expect(asked()).toEqual(['/']);
  });

  it('serves 99 of 100 visits of 300 places from the copies of these places', async () => {
    const key = 'proxy_cache_key "';
    const network = await startNginx({
      files: SHIPPED,
      // A copy for each place makes this nginx a cache network.
      replaced: { ...upstreams(servers), [key]: `${key}$http_x_place ` },
    });
    onTestFinished(() => network.stop());
    answering({ ...tagged, ...PUBLIC });
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    onTestFinished(() => agent.destroy());
    const visit = (place: number) =>
      new Promise<unknown>((resolve, reject) => {
        const headers = { Host: 'example.org', 'X-Place': String(place) };
        const sent = get({ port: network.port, agent, servername: 'example.org', headers }, (response) => {
          response.resume().once('end', () => resolve(response.headers['x-cache']));
        });
        sent.once('error', reject);
      });
    // Two minutes of a million visits an hour.
    const [places, visits] = [300, 112];
    let fromCopies = 0;
    for (let at = 0; at < places * visits; at += 20) {
      const given = await Promise.all(Array.from({ length: 20 }, (_, by) => visit((at + by) % places)));
      fromCopies += given.filter((by) => by !== 'MISS').length;
    }
    expect(fromCopies / (places * visits)).toBeGreaterThanOrEqual(0.99);
  });

  it('does not cache other responses, such as an old page or a link of a mail', async () => {
    answering(tagged);
    await nginx.ask('/old');
    const again = await nginx.ask('/old', { headers: { 'If-None-Match': '"tag"' } });
    expect([again.status, asked()]).toEqual([304, ['/old', '/old']]);
  });

  it('caches variants by Vary and by API key', async () => {
    both((request, response) => {
      const { range = '', apikey = '', authorization = '', origin = '' } = request.headers;
      const headers = { 'Cache-Control': 'public, max-age=60', Vary: 'Origin, Range' };
      response.writeHead(200, headers).end([range, apikey, authorization, origin].join());
    });
    const one = { Range: '0-1', apikey: 'k', Authorization: 'Bearer k', Origin: 'https://a.example' };
    const requests = [
      one,
      ...Object.keys(one).map((name) => ({ ...one, [name]: 'other' })),
      ...Object.keys(one).map((name) => ({ ...one, [name]: '' })),
    ];
    for (const headers of [...requests, ...requests]) {
      const { body } = await nginx.ask('/rest/v1/varied', { headers });
      expect(body).toBe(Object.values(headers).join());
    }
    expect(asked()).toHaveLength(requests.length);
  });

  it('caches no response that depends on unknown request headers', async () => {
    both((request, response) => {
      const said = ['x-forwarded-host', 'x-forwarded-proto', 'x-original-url', 'x-rewrite-url', 'forwarded'];
      const echoed = said.map((name) => request.headers[name] ?? '').join();
      response.writeHead(200, { 'Cache-Control': 'public, max-age=60' }).end(`${request.url} ${echoed}`);
    });
    const headers = {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=evil.example',
    };
    const { body } = await nginx.ask('/rest/v1/clean', { headers });
    expect(body).toBe('/rest/v1/clean ,https,,,');
    expect((await nginx.ask('/rest/v1/clean')).body).toBe(body);
    expect(asked()).toHaveLength(1);
  });

  it('replaces the forwarded headers of a visitor by its own', async () => {
    const told: unknown[] = [];
    both(({ headers }, response) => {
      told.push([
        headers['x-forwarded-for'],
        headers['x-real-ip'],
        headers['cf-connecting-ip'],
        headers.host,
      ]);
      response.end();
    });
    const headers = {
      'X-Forwarded-For': '203.0.113.9',
      'X-Real-IP': '203.0.113.9',
      'CF-Connecting-IP': '203.0.113.9',
    };
    await nginx.ask('/forwarded', { headers, from: '127.0.0.7' });
    expect(told).toEqual([['127.0.0.7', undefined, undefined, 'example.org']]);
  });

  it('retries requests on another server, except inserts that may have arrived', async () => {
    both((request) => request.socket.destroy());
    const { handler } = servers[1];
    servers[1].handler = (_, response) => void response.end('here');
    const reads = await Promise.all(Array.from({ length: 6 }, (_, at) => nginx.ask(`/?${at}`)));
    expect(reads.map(({ body }) => body)).toEqual(Array(6).fill('here'));

    both(handler);
    const insert = await nginx.ask('/rest/v1/inserts', { method: 'POST', body: '{}' });
    expect(insert.status).toBe(503);
    expect(asked()).toHaveLength(1);
  });

  it('gets the files of a page from the server of its version during an update', async () => {
    both((_, response) => response.writeHead(404, { 'Cache-Control': 'no-store' }).end('not here'));
    expect((await nginx.ask('/assets/nowhere.js')).status).toBe(404);
    expect(asked()).toHaveLength(2);
    servers[1].handler = (_, response) => void response.end('here');
    const asset = await Promise.all([1, 2, 3, 4].map((at) => nginx.ask(`/assets/index-${at}.js`)));
    expect(asset.map(({ body }) => body)).toEqual(Array(4).fill('here'));
    both((_, response) => response.writeHead(404).end());
    expect((await nginx.ask('/nowhere')).status).toBe(404);
    expect(asked()).toHaveLength(1);
  });

  it('serves stale responses during revalidation or without a server, if allowed', async () => {
    answering({ 'Cache-Control': 'public, max-age=1, stale-while-revalidate=60' });
    await nginx.ask('/rest/v1/kept');
    answering({ 'Cache-Control': 'public, max-age=1' });
    await nginx.ask('/rest/v1/gone');
    both((request) => request.socket.destroy());
    await expect.poll(async () => (await nginx.ask('/rest/v1/gone')).status).toBe(503);
    await expect.poll(async () => (await nginx.ask('/rest/v1/kept')).headers['x-cache']).toBe('STALE');
    await expect.poll(asked).toContain('/rest/v1/kept');
    const { status, body } = await nginx.ask('/rest/v1/kept');
    expect([status, body]).toEqual([200, 'answered']);
  });

  it('responds with one uncached sentence if no server is available', async () => {
    both((request) => request.socket.destroy());
    const away = await nginx.ask('/away');
    expect(away).toMatchObject({
      status: 503,
      headers: { 'retry-after': '10', 'cache-control': 'no-store' },
      body: 'No server is available. Please try again in a minute.\n',
    });
    expect(valuesOf(away, 'strict-transport-security')).toEqual(['max-age=31536000']);
  });

  it.each(['/metrics', '/%6detrics', '//metrics'])('responds to %s itself', async (path) => {
    answering({});
    expect((await nginx.ask(path)).status).toBe(404);
    expect(asked()).toEqual([]);
  });

  it.each([
    ['a long body', 413, { method: 'POST', body: 'x'.repeat(17_000) }, ''],
    ['a long header', 400, { headers: { 'X-Long': 'x'.repeat(9_000) } }, ''],
    ['a long address', 414, {}, `?${'x'.repeat(9_000)}`],
  ])('refuses %s', async (_, status, request, query) => {
    answering({});
    expect((await nginx.ask(`/rest/v1/long${query}`, request)).status).toBe(status);
    expect(asked()).toEqual([]);
  });

  it.each(['/metrics/%2e%2e/assets/x.js', '/rest/v1/%2E./x', '/..%2fmetrics'])(
    'refuses %s, which programs interpret in different ways',
    async (path) => {
      answering({});
      expect((await nginx.ask(path)).status).toBe(400);
      expect(asked()).toEqual([]);
    },
  );

  it('limits the concurrent requests of each visitor to a hundred', async () => {
    const held: ServerResponse[] = [];
    both((_, response) => held.push(response));
    const answers = Promise.all(Array.from({ length: 100 }, () => nginx.ask('/held', { from: '127.0.0.8' })));
    await expect.poll(() => held.length).toBe(100);
    expect((await nginx.ask('/more', { from: '127.0.0.8' })).status).toBe(429);
    const other = nginx.ask('/other', { from: '127.0.0.10' });
    await expect.poll(() => held.length).toBe(101);
    for (const response of held) response.end();
    expect((await other).status).toBe(200);
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('redirects http to https for its own host name only', async () => {
    const { status, headers } = await nginx.askPlain('//evil.example/%2e%2e?a=b');
    expect([status, headers.location]).toEqual([301, 'https://example.org//evil.example/%2e%2e?a=b']);
    await expect(nginx.askPlain('/', { host: 'evil.example' })).rejects.toThrow();
    await expect(nginx.ask('/', { host: 'evil.example' })).rejects.toThrow();
  });

  it('serves the files of a certificate authority over http, without a redirect', async () => {
    const { status, body } = await nginx.askPlain('/.well-known/acme-challenge/token');
    expect([status, body]).toEqual([200, 'proof']);
    expect((await nginx.askPlain('/.well-known/acme-challenge/other')).status).toBe(404);
  });

  it('logs no address, no query string and no link of a mail', async () => {
    answering({});
    await nginx.ask('/logged?email=somebody@example.org', { from: '127.0.0.9' });
    for (const path of ['/unsubscribe/secret-token', '/CONFIRM/secret-token/', '/unsubscribe']) {
      await nginx.ask(path, { from: '127.0.0.9' });
    }
    await expect.poll(() => nginx.log(LOG)).toMatch(/200 GET \/logged \d+ /);
    both((request) => request.socket.destroy());
    await nginx.ask('/unsubscribe/secret-token', { from: '127.0.0.9' });
    await nginx.ask('/failed', { from: '127.0.0.9' });
    await expect.poll(() => nginx.log(LOG)).toMatch(/503 GET \/failed \d+ /);
    const logs = nginx.log(LOG) + nginx.log(ERROR_LOG);
    expect(logs).not.toMatch(/somebody|secret|127\.0\.0\.9|unsubscribe/i);
  });
});

describe.runIf(hasNginx())('two servers over one Postgres behind nginx by our recipe', () => {
  const READ = '/rest/v1/market_metrics?select=*&order=created_at.desc&limit=3';
  const postgres = shared(startHostedDemonstration);
  const products: Product[] = [];
  const ports: number[] = [];
  const folders = [folderForTests(), folderForTests()];
  let nginx: Nginx;
  let key: string;

  /** Starts one of the servers with its own port and folder. */
  const startAt = (at: number) =>
    startProduct(folders[at] ?? '', {
      PORT: String(ports[at]),
      DATABASE_URL: addressFor(postgres.url, 'postgres'),
      PUBLIC_URL: 'https://example.org',
      DRAIN_SECONDS: '1',
    });

  beforeAll(async () => {
    ports.push(await freePort(), await freePort());
    products.push(...(await Promise.all([startAt(0), startAt(1)])));
    nginx = await startNginx({ files: SHIPPED, replaced: upstreams(products) });
    key = /"anonKey":"([^"]+)"/.exec((await nginx.ask('/')).body)?.[1] ?? '';
  });
  afterAll(async () => {
    await nginx?.stop();
    await Promise.all(products.map((product) => product.stop('SIGKILL')));
  });

  const read = (path: string, headers = {}) => nginx.ask(path, { headers: { apikey: key, ...headers } });
  const insertBy =
    (at: Nginx) =>
    (email: string, from: string, headers = {}) =>
      at.ask('/rest/v1/email_subscribers', {
        method: 'POST',
        from,
        headers: { apikey: key, 'Content-Type': 'application/json', Prefer: 'return=minimal', ...headers },
        body: JSON.stringify({ email, is_active: true }),
      });
  const insert: ReturnType<typeof insertBy> = (...given) => insertBy(nginx)(...given);

  it('serve the page and its reads with each header once', async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, (_, at) => nginx.ask(`/?${at}`)));
    for (const page of pages) {
      expect([page.status, /<h1[^>]*>/.test(page.body)]).toEqual([200, true]);
      // The page of one server may send its reads to the other server.
      expect(page.body).toContain(`"anonKey":"${key}"`);
      expect(valuesOf(page, 'strict-transport-security')).toEqual(['max-age=31536000']);
      expect(page.headers['content-security-policy']).not.toContain('unsafe');
    }
    const by = () => products.map(({ url }) => nginx.log(LOG).includes(hostOf(url)));
    await expect.poll(by).toEqual([true, true]);
    const { status, body } = await read(READ);
    expect([status, JSON.parse(body).length]).toEqual([200, 3]);
  });

  it('get no request for a cached response', async () => {
    const first = await read(READ);
    const kept = await read(READ);
    expect([first.status, kept.status, kept.headers['x-cache'], kept.body]).toEqual([
      200,
      200,
      'HIT',
      first.body,
    ]);

    const strange = await read(READ, { apikey: 'another' });
    expect(strange.status).toBe(401);
    const asset = /\.\/(assets\/index-[\w-]+\.js)/.exec((await nginx.ask('/')).body)?.[1];
    for (const encoding of ['br', 'gzip']) {
      const headers = { 'Accept-Encoding': encoding };
      await nginx.ask(`/${asset}`, { headers });
      const { 'x-cache': by, 'content-encoding': got } = (await nginx.ask(`/${asset}`, { headers })).headers;
      expect([by, got]).toEqual(['HIT', encoding]);
    }
  });

  it('count subscribers by the address that nginx sees', async () => {
    const added = [];
    for (let count = 0; count < 21; count++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${count}`, 'CF-Connecting-IP': `203.0.113.${count}` };
      added.push((await insert(`one-${count}@example.org`, '127.0.0.3', headers)).status);
    }
    expect(added).toEqual([...Array(20).fill(201), 429]);
    expect((await insert('other@example.org', '127.0.0.4')).status).toBe(201);
    expect((await insert('other@example.org', '127.0.0.4')).status).toBe(409);
  });

  it.runIf(hasPostgrest())('can have PostgREST serve the tables', async () => {
    const postgrest = await startPostgrest(addressFor(postgres.url, 'authenticator'), { connections: 3 });
    onTestFinished(() => postgrest.stop());
    const over = await startNginx({
      files: OVER_POSTGREST,
      replaced: {
        ...upstreams(products),
        '127.0.0.1:3000': hostOf(postgrest.url),
        // Refills so slowly that only the burst counts, also on a slow machine.
        'rate=100r/s': 'rate=1r/m',
      },
    });
    onTestFinished(() => over.stop());
    const kept = await read(READ);
    const ways = [
      READ,
      `${READ}&apikey=${key}`,
      READ.replace('?', `?apikey=${key}&`),
      READ.replace('&', `&apikey=${key}&`),
    ];
    for (const path of ways) {
      // The response is the same with a token, even with a token that PostgREST would refuse.
      const answer = await over.ask(path, { headers: { apikey: key, Authorization: 'Bearer forged' } });
      expect([path, answer.status, answer.body]).toEqual([path, 200, kept.body]);
      expect(valuesOf(answer, 'strict-transport-security')).toEqual(['max-age=31536000']);
    }
    const { headers: small } = await over.ask(READ, { headers: { 'Accept-Encoding': 'gzip' } });
    expect([small['content-encoding'], small.vary]).toEqual(['gzip', 'Accept-Encoding']);
    for (const path of ['/rest/v1/', '/rest/v1/rpc/now', '/rest/v1/market_metrics/x']) {
      expect([path, (await over.ask(path)).status]).toEqual([path, 404]);
    }
    for (const method of ['PATCH', 'DELETE', 'PUT']) {
      expect([method, (await over.ask(READ, { method, body: '{}' })).status]).toEqual([method, 403]);
    }
    const added = [];
    for (let count = 0; count < 21; count++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${count}`, 'CF-Connecting-IP': `203.0.113.${count}` };
      added.push((await insertBy(over)(`two-${count}@example.org`, '127.0.0.5', headers)).status);
    }
    expect(added).toEqual([...Array(20).fill(201), 429]);
    // A visitor may send a burst of 1,000. Requests with a forbidden method count and never reach PostgREST.
    const statuses: number[] = [];
    for (let round = 0; round < 22; round++) {
      const sent = Array.from({ length: 50 }, () => over.ask(READ, { method: 'DELETE', body: '{}' }));
      statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
    }
    expect(new Set(statuses.slice(0, 900))).toEqual(new Set([403]));
    expect(new Set(statuses.slice(1000))).toEqual(new Set([429]));
    expect((await over.ask('/')).status).toBe(200);
  });

  it('fail no request during a rolling restart', async () => {
    const answers: string[] = [];
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const visit = async (_: unknown, visitor: number) => {
      for (let count = 0; !isOver; count++) {
        const path = count % 2 === 0 ? '/' : `${READ}&id=gt.${visitor}${count}`;
        answers.push(`${(await read(path)).status}`);
      }
    };
    const visits = Promise.all(Array.from({ length: 4 }, visit));
    for (const [at, product] of products.entries()) {
      await product.stop('SIGTERM');
      expect(product.process.exitCode).toBe(0);
      products[at] = await startAt(at);
    }
    await expect.poll(() => answers.length).toBeGreaterThan(100);
    isOver = true;
    await visits;
    expect(answers.filter((status) => status !== '200')).toEqual([]);
  });

  it('fail no request if one server is killed', async () => {
    const [, second] = products;
    const answers: number[] = [];
    const visit = async () => {
      while (answers.length < 300) {
        const path = answers.length % 3 === 0 ? '/' : `${READ}&id=gt.${answers.length}`;
        answers.push((await read(path)).status);
        if (answers.length === 60) second?.process.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 8 }, visit));
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    const inserts = Array.from({ length: 4 }, (_, at) => insert(`late-${at}@example.org`, '127.0.0.6'));
    expect((await Promise.all(inserts)).map(({ status }) => status)).toEqual(Array(4).fill(201));
  });

  it('leave table reads, pages and outputs in nginx after both have stopped', async () => {
    // The copies are outdated after a second, as after the minutes of an outage.
    const replaced = { ...upstreams(products), '200 60s': '200 1s' };
    const outdated = await startNginx({ files: SHIPPED, replaced });
    onTestFinished(() => outdated.stop());
    const paths = [
      '/',
      '/record',
      '/method',
      '/quality',
      '/signal.json',
      '/feed.atom',
      '/badge.svg',
      '/og.png',
    ];
    const kept = await read(READ);
    const last = new Map<string, Answer>();
    for (const path of paths) last.set(path, await outdated.ask(path));
    await Promise.all(products.map((product) => product.stop('SIGKILL')));
    const answer = await read(READ);
    expect([answer.status, answer.body]).toEqual([200, kept.body]);
    for (const path of paths) {
      await expect.poll(async () => (await outdated.ask(path)).headers['x-cache']).toBe('STALE');
      const { status, body, headers } = await outdated.ask(path);
      expect([path, status, body]).toEqual([path, 200, last.get(path)?.body]);
      expect([path, headers.age, headers['set-cookie']]).toEqual([path, undefined, undefined]);
    }
    // The age follows from instants in the copies: the page has that of its reads, the outputs those of their data.
    expect(last.get('/')?.body).toMatch(/"at":\d{13}/);
    const { as_of, next_due } = JSON.parse(last.get('/signal.json')?.body ?? '');
    expect(Date.parse(next_due)).toBeGreaterThan(Date.parse(as_of));
    expect(last.get('/badge.svg')?.body).toContain('As of ');
    expect((await outdated.ask('/unknown')).status).toBe(503);
  });
});
