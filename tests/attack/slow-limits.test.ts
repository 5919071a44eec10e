import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Listening, listen } from '#server/http/listen.ts';
import { readBody } from '#server/http/read-body.ts';

/** The product's limits, some fifty times as strict, so that nobody has to wait for them. */
const LIMITS = { headersMs: 200, requestMs: 500, lookMs: 50, keepAliveMs: 100, silentMs: 600 };
/** More than any two systems keep between them for a reader who does not read. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

let server: Listening;
let over = () => {};

beforeAll(async () => {
  server = await listen(
    (request, response) => {
      response.once('close', () => over());
      readBody(request, LARGE.length).then(
        () => response.end(request.url === '/large' ? LARGE : 'ok'),
        () => response.destroy(),
      );
    },
    '127.0.0.1',
    0,
    { limits: LIMITS },
  );
});
afterAll(() => server?.close());

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: a\r\n${more}`;
const open = () => {
  const { hostname, port } = new URL(server.url);
  return connect(Number(port), hostname).on('error', () => undefined);
};

it.each([
  ['says nothing', '', ''],
  ['sends a head byte by byte', head('GET /'), 'X'],
  ['sends a body byte by byte', head('POST /', 'Content-Length: 100000\r\n\r\n'), 'x'],
  ['sends chunks of a byte', head('POST /', 'Transfer-Encoding: chunked\r\n\r\n'), '1\r\nx\r\n'],
  ['has an answer and asks for nothing more', head('GET /', '\r\n'), ''],
])('the server ends the connection of who %s', async (_, begun, drop) => {
  const socket = open().resume();
  socket.write(begun);
  const dripping = setInterval(() => socket.write(drop), 20);
  const isClosed = new Promise((resolve) => socket.once('close', () => resolve(true)));
  expect(await isClosed).toBe(true);
  clearInterval(dripping);
});

it('the server drops a response that nobody reads', async () => {
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
