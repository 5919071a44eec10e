import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loopbackOfTheseTests } from '#tests/support/servers-of-tests.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import type { ProviderError, ProviderName } from './provider.ts';

const NOW = Date.parse('2026-11-20T20:00:00Z');

const server = loopbackOfTheseTests();

/** A client whose clocks advance with its sleeps, and whose backoffs have maximum length. */
function client(options: Partial<HttpClientOptions> = {}) {
  const slept: number[] = [];
  let now = NOW;
  let monotonic = 0;
  const pass = (ms: number) => {
    now += ms;
    monotonic += ms;
  };
  const http = createHttpClient({
    fetch,
    now: () => now,
    monotonicNow: () => monotonic,
    sleep: async (ms) => {
      slept.push(ms);
      pass(ms);
    },
    random: () => 0.999_999,
    userAgent: 'Barometer/1',
    signal: new AbortController().signal,
    ...options,
  });
  const url = (path: string) => new URL(path, server.url);
  const get = (path = '/data/x?key=secret', provider: ProviderName = 'alpaca') =>
    http.get({ provider, url: url(path), headers: { 'x-key': 'secret' } });
  const setClock = (to: number) => {
    now = to;
  };
  return { http, get, url, slept, pass, setClock };
}

const respond = (status: number, body = '', headers: Record<string, string> = {}) => {
  server.handler = (_, response) => void response.writeHead(status, headers).end(body);
};

/** Returns these responses in order, then repeats the last one. */
function respondInTurn(...turns: ((response: ServerResponse) => void)[]): void {
  let at = 0;
  server.handler = (_, response) => {
    turns[Math.min(at, turns.length - 1)]?.(response);
    at += 1;
  };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  ) as Promise<ProviderError>;

describe('a request', () => {
  it('sends the user agent with the given headers', async () => {
    server.handler = ({ headers }, response) => {
      const received = JSON.stringify([headers['user-agent'], headers['x-key']]);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(received));
    };
    const { get, http } = client();
    expect(await get()).toEqual({ status: 200, text: '["Barometer/1","secret"]' });
    expect(http.calls()).toEqual([{ provider: 'alpaca', requests: 1, retries: 0, bytes: 24, failures: {} }]);
  });

  it('is retried after a failure with exponential backoff', async () => {
    const { get, http, slept } = client();
    const fail = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
    respondInTurn(
      fail(503),
      (response) => response.destroy(),
      (response) =>
        void response.writeHead(200, { 'content-length': '9' }).write('cut', () => response.destroy()),
      (response) => void response.end('[]'),
    );
    expect((await get()).text).toBe('[]');
    expect(slept).toEqual([1000, 2000, 4000]);
    const [calls] = http.calls();
    expect(calls).toMatchObject({ requests: 4, retries: 3, failures: { 'server error': 1, network: 2 } });
  });

  it('times out without a response or during a body', async () => {
    const { get, http } = client({ limits: { attemptMs: 60, attempts: 2 } });
    respondInTurn(
      () => undefined,
      (response) => void response.writeHead(200).write('half'),
    );
    expect(await failure(get())).toMatchObject({ failure: 'timeout' });
    expect(http.calls()).toMatchObject([{ requests: 2, failures: { timeout: 2 } }]);
  });

  it.each([
    ['seconds', { 'retry-after': '17' }, 17_000],
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 20:00:30 GMT' }, 30_000],
    [
      'a date relative to the Date header',
      { 'retry-after': 'Fri, 20 Nov 2026 22:00:40 GMT', date: 'Fri, 20 Nov 2026 22:00:00 GMT' },
      40_000,
    ],
    ['X-RateLimit-Reset', { 'x-ratelimit-reset': String(NOW / 1000 + 45) }, 45_000],
    ['nothing readable, with backoff', { 'retry-after': 'soon' }, 5_000],
  ])('is retried after the pause that the response requests: %s', async (_, headers, expected) => {
    const { get, slept } = client();
    respondInTurn(
      (response) => void response.writeHead(429, headers).end(),
      (response) => void response.end('[]'),
    );
    await get();
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(expected);
  });

  it('fails without a retry if the server requests a pause of an hour', async () => {
    const { get, http, slept, pass } = client();
    respond(429, '', { 'retry-after': '3600' });
    expect(await failure(get())).toMatchObject({ failure: 'rate limited', status: 429 });
    expect(await failure(get('/other/x'))).toMatchObject({ failure: 'rate limited' });
    expect(http.calls()).toMatchObject([{ requests: 1 }]);
    expect(slept).toEqual([]);
    pass(3_600_000);
    respond(200, '[]');
    expect((await get()).text).toBe('[]');
  });

  it('fails after four minutes of pauses in one run', async () => {
    const { get, slept } = client();
    respond(429, '', { 'retry-after': '110' });
    for (const path of ['/one/x', '/one/x', '/two/x', '/two/x', '/three/x']) await failure(get(path));
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(4 * 60_000);
    respond(200, '[]');
    expect((await get('/one/x', 'yahoo')).text).toBe('[]');
  });

  it.each([400, 404, 418])('is not retried after status %i', async (status) => {
    const { get, http } = client();
    respond(status, '{"key":"secret"}');
    const failed = await failure(get());
    expect(failed).toMatchObject({ failure: 'refused', status, provider: 'alpaca' });
    expect(http.calls()).toMatchObject([{ requests: 1, failures: { refused: 1 } }]);
    respond(200, 'x');
    expect((await get()).text).toBe('x');
  });

  it.each([401, 403])('disables only the folder of the path after status %i', async (status) => {
    const { get, http } = client();
    respond(status);
    const failed = await failure(get('/v8/chart/A?key=secret', 'alpaca'));
    expect(failed.message).toBe(
      `Alpaca refused the request (${status}); check ALPACA_KEY_ID and ALPACA_SECRET_KEY.`,
    );
    const again = await Promise.all(['B', 'C', 'D'].map((name) => failure(get(`/v8/chart/${name}`))));
    expect(again.map(({ message }) => message)).toEqual(Array(3).fill(failed.message));
    expect(http.calls()).toMatchObject([{ requests: 1 }]);
    respond(200, 'x');
    expect((await get('/v8/other/A')).text).toBe('x');
    expect((await get('/v8/chart/A', 'yahoo')).text).toBe('x');
  });

  it('disables an endpoint after two failed calls in a row', async () => {
    const { get, http } = client({ limits: { attempts: 2 } });
    respond(500);
    await failure(get());
    respond(200, 'x');
    await get();
    respond(500);
    await failure(get());
    await failure(get());
    respond(200, 'x');
    expect(await failure(get())).toMatchObject({ failure: 'server error', status: 500 });
    expect(http.calls()).toMatchObject([{ requests: 7 }]);
  });

  it('accepts other statuses if the caller allows them', async () => {
    const { http, url } = client();
    respond(403, '<Error>none</Error>');
    const request = { provider: 'cboe', url: url('/day') } as const;
    expect(await http.get({ ...request, accepts: ({ status }) => status === 403 })).toEqual({
      status: 403,
      text: '<Error>none</Error>',
    });
    expect(await http.get({ ...request, accepts: ({ text }) => text.includes('none') })).toMatchObject({
      status: 403,
    });
    expect(http.calls()).toMatchObject([{ failures: {} }]);
  });

  it('does not follow a redirect, which would receive the key [T21]', async () => {
    const { get, http } = client();
    respond(302, '', { location: '/elsewhere' });
    expect(await failure(get())).toMatchObject({ failure: 'refused', status: 302 });
    expect(server.asked).toEqual(['/data/x?key=secret']);
    expect(http.calls()).toMatchObject([{ requests: 1 }]);
  });

  it('stops reading an endless body [T21]', async () => {
    const { get, http } = client({ limits: { bodyBytes: 200_000 } });
    server.handler = (_, response) => {
      const more = () => response.write('x'.repeat(65_536), more);
      more();
    };
    expect(await failure(get())).toMatchObject({ failure: 'unreadable' });
    const [calls] = http.calls();
    expect(calls?.bytes).toBeLessThan(1_000_000);
    expect(calls?.requests).toBe(1);
  });

  it.each([
    ['HTML with status 200', '\n <!doctype html><title>Sign in</title>', 'text/plain'],
    ['a body with the content type of HTML', 'Please wait', 'text/html; charset=utf-8'],
    ['JSON that is cut', '{"bars":{"A":[{"t":"2026-', 'application/json'],
    ['no JSON', '', 'application/json'],
    ['two values of JSON', 'null null', 'application/json'],
  ])('fails as unreadable: %s', async (_, body, type) => {
    const { http, url } = client();
    respond(200, body, { 'content-type': type });
    const call = http.getJson({ provider: 'fred', url: url('/x') });
    expect(await failure(call)).toMatchObject({ failure: 'unreadable', provider: 'fred' });
    expect(http.calls()).toMatchObject([{ requests: 1, failures: { unreadable: 1 } }]);
  });

  it('fails with a message without key, query or address', async () => {
    const messages: string[] = [];
    for (const status of [301, 400, 401, 404, 408, 429, 500]) {
      respond(status, 'secret');
      messages.push((await failure(client({ limits: { attempts: 1 } }).get())).message);
    }
    respond(200, '<secret>');
    messages.push((await failure(client().get())).message);
    const gone = client({ limits: { attempts: 1 } });
    messages.push(
      (await failure(gone.http.get({ provider: 'wsj', url: new URL('http://127.0.0.1:1/?secret') }))).message,
    );
    expect(messages.at(-1)).toContain('The Wall Street Journal could not be reached');
    for (const message of messages) {
      expect(message).toMatch(/^(Alpaca|The Wall Street Journal) [^\n]*; [^\n]*\.$/);
      expect(message).not.toMatch(/secret|127\.0\.0\.1|http/);
    }
  });
});

describe('the rate limit', () => {
  it('applies to concurrent callers, separately for each provider', async () => {
    const waits: number[] = [];
    const { get } = client({
      monotonicNow: () => 0,
      sleep: async (ms) => void waits.push(ms),
    });
    respond(200, 'x');
    await Promise.all([...Array.from({ length: 3 }, () => get()), get('/x', 'yahoo'), get('/x', 'yahoo')]);
    expect(waits.toSorted((a, b) => a - b)).toEqual([330, 500, 660]);
  });

  it('ignores a clock that is set back', async () => {
    const { get, slept, setClock } = client();
    respond(200, 'x');
    await get();
    setClock(NOW - 3_600_000);
    await get();
    expect(slept).toEqual([330]);
  });
});

it('the deadline of the run ends waits and requests immediately with its own reason', async () => {
  const controller = new AbortController();
  const asleep: number[] = [];
  const { get, http } = client({
    signal: controller.signal,
    sleep: (ms, signal) => {
      asleep.push(ms);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  let arrived: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  server.handler = () => arrived();
  const calls = Promise.allSettled([get(), get(), get('/x', 'fred')]);
  await waiting;
  const reason = new Error('The run has had its ten minutes.');
  controller.abort(reason);
  expect((await calls).map((call) => call.status === 'rejected' && call.reason)).toEqual([
    reason,
    reason,
    reason,
  ]);
  expect(asleep).toEqual([330]);
  await expect(get()).rejects.toBe(reason);
  expect(http.calls().find(({ provider }) => provider === 'alpaca')?.requests).toBe(1);
});

it('records when each provider last responded successfully', async () => {
  const { get, http } = client();
  expect(http.lastResponseAt('alpaca')).toBeNull();
  respond(404);
  await failure(get());
  expect(http.lastResponseAt('alpaca')).toBeNull();
  respond(200, 'x');
  await get();
  expect(http.lastResponseAt('alpaca')).toBe(NOW + 330);
  expect(http.lastResponseAt('fred')).toBeNull();
});
