import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRequest } from '#tests/support/send-request.ts';
import { HstsResponse, listen } from './listen.ts';

const NAME = 'strict-transport-security';
const YEAR = 'max-age=31536000';

/** Writes the head of the response in a different way for each path. */
const respond: RequestListener = ({ url }, response) => {
  if (url === '/object') response.writeHead(200, { 'X-Own': 'own' });
  if (url === '/list') response.writeHead(200, ['X-Own', 'own']);
  if (url === '/reason') response.writeHead(200, 'Fine', { 'X-Own': 'own' });
  if (url === '/set') response.setHeader('X-Own', 'own');
  response.end();
};

let servers: Awaited<ReturnType<typeof listen>>[];
beforeAll(async () => {
  servers = await Promise.all([
    listen(respond, '127.0.0.1', 0, { Response: HstsResponse }),
    listen(respond, '127.0.0.1', 0),
  ]);
});
afterAll(() => Promise.all(servers.map(({ close }) => close())));

const ask = (server: 0 | 1, path: string) => sendRequest(servers[server]?.url ?? '', path);

describe('a response over TLS', () => {
  it.each(['/object', '/list', '/reason', '/set'])('has Strict-Transport-Security: %s', async (path) => {
    const { headers } = await ask(0, path);
    expect([headers[NAME], headers['x-own']]).toEqual([YEAR, 'own']);
  });

  it('has Strict-Transport-Security even if the route writes no head', async () => {
    expect((await ask(0, '/nothing')).headers[NAME]).toBe(YEAR);
  });

  it('has Strict-Transport-Security if the request is refused before its route', async () => {
    const { port } = new URL(servers[0]?.url ?? '');
    const socket = connect(Number(port), '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
    const received = Buffer.concat(await socket.toArray()).toString();
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received.toLowerCase()).toContain(`${NAME}: ${YEAR}`);
  });
});

it('a response without TLS has no Strict-Transport-Security', async () => {
  expect((await ask(1, '/object')).headers[NAME]).toBeUndefined();
  expect((await ask(1, '/nothing')).headers[NAME]).toBeUndefined();
});
