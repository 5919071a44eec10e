import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Loopback, startLoopback } from '#tests/support/loopback.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import type { ProviderName } from './provider.ts';
import type { ProviderError } from './provider-error.ts';

const NOW = Date.parse('2026-11-20T20:00:00Z');

let server: Loopback;
beforeAll(async () => {
  server = await startLoopback();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
});

/** A client whose clock goes on by what it sleeps, and which always draws the longest backoff. */
function client(options: Partial<HttpClientOptions> = {}) {
  const slept: number[] = [];
  let now = NOW;
  const http = createHttpClient({
    fetch,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
    random: () => 0.999_999,
    userAgent: 'Barometer/1',
    signal: new AbortController().signal,
    ...options,
  });
  const url = (path: string) => new URL(path, server.url);
  const get = (path = '/data/x?key=secret', provider: ProviderName = 'alpaca') =>
    http.get({ provider, url: url(path), headers: { 'x-key': 'secret' } });
  const set = (to: number) => {
    now = to;
  };
  return { http, get, url, slept, set };
}

const answer = (status: number, body = '', headers: Record<string, string> = {}) => {
  server.handler = (_, response) => void response.writeHead(status, headers).end(body);
};

/** Answers with each of these in turn, the last for good. */
function answers(...turns: ((response: ServerResponse) => void)[]): void {
  let at = 0;
  server.handler = (_, response) => {
    turns[Math.min(at, turns.length - 1)]?.(response);
    at += 1;
  };
}

const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error,
  ) as Promise<ProviderError>;

describe('asking a provider', () => {
  it('names the product, sends the headers given, and unpacks what comes', async () => {
    server.handler = ({ headers }, response) => {
      const told = JSON.stringify([headers['user-agent'], headers['x-key']]);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(told));
    };
    const { get, http } = client();
    expect(await get()).toEqual({ status: 200, text: '["Barometer/1","secret"]' });
    expect(http.calls()).toEqual([{ provider: 'alpaca', requests: 1, retries: 0, bytes: 24, failures: {} }]);
  });

  it('tries again after a fault, each time up to twice as late', async () => {
    const { get, http, slept } = client();
    const fail = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
    answers(
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

  it('gives an attempt its time', async () => {
    const { get, http } = client({ limits: { attemptTime: 60, attempts: 2 } });
    answers(
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
      'a date by a clock of its own',
      { 'retry-after': 'Fri, 20 Nov 2026 22:00:40 GMT', date: 'Fri, 20 Nov 2026 22:00:00 GMT' },
      40_000,
    ],
    ['the end of its minute', { 'x-ratelimit-reset': String(NOW / 1000 + 45) }, 45_000],
    ['nothing readable', { 'retry-after': 'soon' }, 5_000],
  ])('waits as long as it is asked to, told %s', async (_, headers, expected) => {
    const { get, slept } = client();
    answers(
      (response) => void response.writeHead(429, headers).end(),
      (response) => void response.end('[]'),
    );
    await get();
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(expected);
  });

  it('does not wait out a pause of an hour, and asks nobody again before it is over', async () => {
    const { get, http, slept, set } = client();
    answer(429, '', { 'retry-after': '3600' });
    expect(await failure(get())).toMatchObject({ failure: 'rate limited', status: 429 });
    expect(await failure(get('/other/x'))).toMatchObject({ failure: 'rate limited' });
    expect(http.calls()).toMatchObject([{ requests: 1 }]);
    expect(slept).toEqual([]);
    set(NOW + 3_600_000);
    answer(200, '[]');
    expect((await get()).text).toBe('[]');
  });

  it('does not lose a run to one that asks for pause after pause', async () => {
    const { get, slept } = client();
    answer(429, '', { 'retry-after': '110' });
    for (const path of ['/one/x', '/one/x', '/two/x', '/two/x', '/three/x']) await failure(get(path));
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(4 * 60_000);
    answer(200, '[]');
    expect((await get('/one/x', 'yahoo')).text).toBe('[]');
  });

  it.each([400, 404, 418])('asks no second time after a %i', async (status) => {
    const { get, http } = client();
    answer(status, '{"key":"secret"}');
    const failed = await failure(get());
    expect(failed).toMatchObject({ failure: 'refused', status, provider: 'alpaca' });
    expect(http.calls()).toMatchObject([{ requests: 1, failures: { refused: 1 } }]);
    answer(200, 'x');
    expect((await get()).text).toBe('x');
  });

  it.each([401, 403])(
    'takes a %i as final for all below the same path, and for that only',
    async (status) => {
      const { get, http } = client();
      answer(status);
      const failed = await failure(get('/v8/chart/A?key=secret', 'alpaca'));
      expect(failed.message).toBe(
        `Alpaca refused the request (${status}); check ALPACA_KEY_ID and ALPACA_SECRET_KEY.`,
      );
      const again = await Promise.all(['B', 'C', 'D'].map((name) => failure(get(`/v8/chart/${name}`))));
      expect(again.map(({ message }) => message)).toEqual(Array(3).fill(failed.message));
      expect(http.calls()).toMatchObject([{ requests: 1 }]);
      answer(200, 'x');
      expect((await get('/v8/other/A')).text).toBe('x');
      expect((await get('/v8/chart/A', 'yahoo')).text).toBe('x');
    },
  );

  it('leaves an endpoint alone that was down in two calls in a row', async () => {
    const { get, http } = client({ limits: { attempts: 2 } });
    answer(500);
    await failure(get());
    answer(200, 'x');
    await get();
    answer(500);
    await failure(get());
    await failure(get());
    answer(200, 'x');
    expect(await failure(get())).toMatchObject({ failure: 'server error', status: 500 });
    expect(http.calls()).toMatchObject([{ requests: 7 }]);
  });

  it('takes other statuses as answers where the caller says so', async () => {
    const { http, url } = client();
    answer(403, '<Error>none</Error>');
    const request = { provider: 'cboe', url: url('/day') } as const;
    expect(await http.get({ ...request, answers: [403] })).toEqual({
      status: 403,
      text: '<Error>none</Error>',
    });
    expect(await http.get({ ...request, isAnswer: ({ text }) => text.includes('none') })).toMatchObject({
      status: 403,
    });
    expect(http.calls()).toMatchObject([{ failures: {} }]);
  });

  it('does not follow a redirect, which would take the key along', async () => {
    const { get, http } = client();
    answer(302, '', { location: '/elsewhere' });
    expect(await failure(get())).toMatchObject({ failure: 'refused', status: 302 });
    expect(server.asked).toEqual(['/data/x?key=secret']);
    expect(http.calls()).toMatchObject([{ requests: 1 }]);
  });

  it('stops reading an answer that has no end', async () => {
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
    ['a page with status 200', '\n <!doctype html><title>Sign in</title>', {}],
    ['what says it is a page', 'Please wait', { 'content-type': 'text/html; charset=utf-8' }],
  ])('cannot read %s', async (_, body, headers) => {
    const { get, http } = client();
    answer(200, body, headers);
    expect(await failure(get())).toMatchObject({ failure: 'unreadable' });
    expect(http.calls()).toMatchObject([{ requests: 1, failures: { unreadable: 1 } }]);
  });

  it.each(['{"bars":{"A":[{"t":"2026-', '', 'null null'])('cannot read %j as JSON', async (body) => {
    const { http, url } = client();
    answer(200, body, { 'content-type': 'application/json' });
    expect(await failure(http.getJson({ provider: 'fred', url: url('/x') }))).toMatchObject({
      failure: 'unreadable',
      provider: 'fred',
    });
    expect(http.calls()).toMatchObject([{ requests: 1, failures: { unreadable: 1 } }]);
  });

  it('says nothing of key, query or address in any message', async () => {
    const messages: string[] = [];
    for (const status of [301, 400, 401, 404, 408, 429, 500]) {
      answer(status, 'secret');
      messages.push((await failure(client({ limits: { attempts: 1 } }).get())).message);
    }
    answer(200, '<secret>');
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

describe('the pace', () => {
  it('is kept by callers at the same time, and is each provider its own', async () => {
    const waits: number[] = [];
    const { get } = client({
      now: () => NOW,
      sleep: async (ms) => void waits.push(ms),
    });
    answer(200, 'x');
    await Promise.all([...Array.from({ length: 3 }, () => get()), get('/x', 'yahoo'), get('/x', 'yahoo')]);
    expect(waits.toSorted((a, b) => a - b)).toEqual([330, 500, 660]);
  });

  it('keeps to 200 requests a minute over as many as are asked of Alpaca', async () => {
    const { get, slept } = client();
    answer(200, 'x');
    for (let at = 0; at < 200; at += 1) await get();
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
  });

  it('does not wait for a clock that was set back', async () => {
    const { get, slept, set } = client();
    answer(200, 'x');
    await get();
    set(NOW - 3_600_000);
    await get();
    expect(slept).toEqual([330]);
  });
});

describe('the deadline of the run', () => {
  it('ends a wait and a request at once, for its own reason', async () => {
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
});

describe('the clock of the providers', () => {
  it('is unknown before an answer, then the median of what they tell, with the age of what was cached', async () => {
    const { get, http, set } = client();
    expect(http.clockOffset()).toBeNull();
    expect(http.answeredAt('alpaca')).toBeNull();
    answer(200, 'x');
    await get();
    expect(http.clockOffset()).toBeNull();
    expect(http.answeredAt('alpaca')).toBeGreaterThanOrEqual(NOW);
    expect(http.answeredAt('fred')).toBeNull();
    const tell = async (date: string, age?: string) => {
      set(NOW);
      answer(200, 'x', { date, ...(age === undefined ? {} : { age }) });
      await get();
    };
    await tell('Fri, 20 Nov 2026 20:10:00 GMT', 'Infinity');
    expect(http.clockOffset()).toBeLessThan(601_000);
    await tell('Fri, 20 Nov 2026 19:40:00 GMT', '1800');
    await tell('Thu, 01 Jan 1970 00:00:00 GMT');
    expect(Math.abs((http.clockOffset() ?? 0) - 600_000)).toBeLessThan(1_000);
  });
});
