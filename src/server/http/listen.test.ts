import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { listen } from './listen.ts';
import { HstsResponse } from './security-headers.ts';

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

const start = (options = {}) => shared(() => listen(respond, '127.0.0.1', 0, options));
const tls = start({ Response: HstsResponse });
const plain = start();

describe('a response over TLS', () => {
  it.each(['/object', '/list', '/reason', '/set'])('has Strict-Transport-Security: %s', async (path) => {
    const { headers } = await sendRequest(tls.url, path);
    expect([headers[NAME], headers['x-own']]).toEqual([YEAR, 'own']);
  });

  it('has Strict-Transport-Security even if the route writes no head', async () => {
    expect((await sendRequest(tls.url, '/nothing')).headers[NAME]).toBe(YEAR);
  });

  it('has Strict-Transport-Security if the request is refused before its route', async () => {
    const { port } = new URL(tls.url);
    const socket = connect(Number(port), '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
    const received = Buffer.concat(await socket.toArray()).toString();
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received.toLowerCase()).toContain(`${NAME}: ${YEAR}`);
  });
});

it('a response without TLS has no Strict-Transport-Security', async () => {
  for (const path of ['/object', '/nothing'])
    expect((await sendRequest(plain.url, path)).headers[NAME]).toBeUndefined();
});
