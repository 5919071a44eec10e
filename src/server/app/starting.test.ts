import { Agent, type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendRequest } from '#tests/support/send-request.ts';
import { type EarlyListener, fillState, listenEarly } from './starting.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const FILLING = fillState({ stage: 'storing', done: 1_250, total: 5_000 });
const REASON = 'The first fill is running: storing, 1,250 of 5,000.';
const BROWSER = { Accept: 'text/html,application/xhtml+xml' };

let listener: EarlyListener;
beforeEach(async () => {
  listener = await listenEarly({
    ...{ host: '127.0.0.1', port: 0, publicUrl: 'https://a.example', productName: '<Compass>', log },
  });
});
afterEach(() => listener.close());

const ask = (path: string, asked = {}) => sendRequest(listener.url, path, asked);

describe('a server without data', () => {
  it('responds from its first moment with 503 and a reason', async () => {
    const { status, headers, body } = await ask('/');
    expect([status, body.toString()]).toEqual([503, 'The server is starting.\n']);
    expect(headers).toMatchObject({ 'retry-after': '3', 'cache-control': 'no-store' });
    expect(headers).toHaveProperty('strict-transport-security');
  });

  it.each(['/', '/on/2026-11-20', '/confirm/token'])(
    'shows a browser at %s the progress on a page that loads again by itself',
    async (path) => {
      listener.report(FILLING);
      const { status, headers, body } = await ask(path, { headers: BROWSER });
      expect(status).toBe(503);
      expect(headers).toMatchObject({ 'retry-after': '3', refresh: '3', 'x-frame-options': 'DENY' });
      const html = body.toString();
      expect(html).toContain('<h1>&lt;Compass> is starting</h1>');
      expect(html).toContain(`<p>${REASON}</p>`);
      expect(html).toContain('<progress max="1" value="0.25" aria-label="Progress">');
      expect(html).not.toMatch(/<script|https?:|<a /);
    },
  );

  it.each(['GET', 'POST', 'DELETE', 'HEAD'])(
    'refuses %s of a table in the format of PostgREST',
    async (method) => {
      listener.report(FILLING);
      const { status, headers, body } = await ask('/rest/v1/market_metrics?select=*', {
        ...{ method, headers: { Origin: 'https://b.example' } },
      });
      expect(status).toBe(503);
      expect(headers).toMatchObject({ 'retry-after': '3', 'access-control-allow-origin': '*' });
      const error = { code: 'PGRST002', details: null, hint: null, message: REASON };
      expect(body.toString()).toBe(method === 'HEAD' ? '' : JSON.stringify(error));
    },
  );

  it('accepts the preflight request of another site, so that it can read the refusal', async () => {
    const headers = { Origin: 'https://b.example', 'Access-Control-Request-Method': 'POST' };
    const { status, headers: sent } = await ask('/rest/v1/email_subscribers', { method: 'OPTIONS', headers });
    expect([status, sent['access-control-allow-methods']]).toEqual([200, 'GET, POST, OPTIONS, HEAD']);
  });

  it('is healthy but not ready, and says why', async () => {
    expect((await ask('/healthz')).body.toString()).toBe('ok\n');
    for (const path of ['/readyz', '/readyz?only=server']) {
      listener.report(fillState(null));
      expect(JSON.parse((await ask(path)).body.toString())).toEqual({
        ready: false,
        checks: { server: 'The first fill is running.' },
      });
      listener.report(FILLING);
      const { status, body } = await ask(path);
      expect([status, JSON.parse(body.toString()).checks]).toEqual([503, { server: REASON }]);
    }
  });

  it('serves the page on the same connection as soon as it has data', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = () =>
      new Promise<[number | undefined, number | undefined]>((resolve, reject) => {
        const asked = request(listener.url, { agent }, (response: IncomingMessage) => {
          const { localPort } = response.socket;
          response.resume().once('end', () => resolve([response.statusCode, localPort]));
        });
        asked.once('error', reject).end();
      });
    const [before, port] = await get();
    listener.serve((_, response) => response.end('page'));
    expect([before, await get()]).toEqual([503, [200, port]]);
    agent.destroy();
  });
});

it('the progress of a first fill is not counted while the number of steps is unknown', () => {
  expect(fillState({ stage: 'reading', done: 3, total: 0 })).toEqual({
    reason: 'The first fill is running: reading.',
    share: null,
  });
});
