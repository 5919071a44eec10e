import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '#server/http/listen.ts';
import { readBody } from '#server/http/read-body.ts';
import { shared } from '#tests/support/shared.ts';

/** A response larger than the socket buffers of client and server. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

let over = () => {};
const server = shared(() =>
  listen(
    (request, response) => {
      response.once('close', () => over());
      readBody(request, LARGE.length).then(
        () => response.end(request.url === '/large' ? LARGE : 'ok'),
        () => response.destroy(),
      );
    },
    '127.0.0.1',
    0,
    // Limits fifty times stricter than those of the product.
    { limits: { headersMs: 200, requestMs: 500, checkMs: 50, keepAliveMs: 100, idleMs: 600 } },
  ),
);

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: a\r\n${more}`;
const open = () => {
  const { hostname, port } = new URL(server.url);
  return connect(Number(port), hostname).on('error', () => undefined);
};

it.each([
  ['sends nothing', '', ''],
  ['sends a head byte by byte', head('GET /'), 'X'],
  ['sends a body byte by byte', head('POST /', 'Content-Length: 100000\r\n\r\n'), 'x'],
  ['sends chunks of a byte', head('POST /', 'Transfer-Encoding: chunked\r\n\r\n'), '1\r\nx\r\n'],
  ['sends nothing after a response', head('GET /', '\r\n'), ''],
])('the server closes the connection of a client that %s', async (_, begun, drop) => {
  const socket = open().resume();
  socket.write(begun);
  const dripping = setInterval(() => socket.write(drop), 20);
  const isClosed = new Promise((resolve) => socket.once('close', () => resolve(true)));
  expect(await isClosed).toBe(true);
  clearInterval(dripping);
});

it('the server drops a response that the client does not read', async () => {
  const isOver = new Promise<void>((resolve) => {
    over = resolve;
  });
  const socket = open().pause();
  socket.write(head('GET /large', '\r\n'));
  await isOver;
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  await new Promise((resolve) => socket.once('close', resolve).resume());
  expect(received).toBeLessThan(LARGE.length);
});
