import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askServer } from '#tests/support/ask.ts';
import { HstsResponse } from './hsts-response.ts';
import { listen } from './listen.ts';

const NAME = 'strict-transport-security';
const YEAR = 'max-age=31536000';

/** Answers in every way that a head can be written. */
const answer: RequestListener = ({ url }, response) => {
  if (url === '/object') response.writeHead(200, { 'X-Own': 'kept' });
  if (url === '/list') response.writeHead(200, ['X-Own', 'kept']);
  if (url === '/reason') response.writeHead(200, 'Fine', { 'X-Own': 'kept' });
  if (url === '/set') response.setHeader('X-Own', 'kept');
  response.end();
};

let servers: Awaited<ReturnType<typeof listen>>[];
beforeAll(async () => {
  servers = await Promise.all([
    listen(answer, '127.0.0.1', 0, { Response: HstsResponse }),
    listen(answer, '127.0.0.1', 0),
  ]);
});
afterAll(() => Promise.all(servers.map(({ close }) => close())));

const ask = (server: 0 | 1, path: string) => askServer(servers[server]?.url ?? '', path);

describe('an answer over TLS', () => {
  it.each(['/object', '/list', '/reason', '/set'])(
    'has browsers come back over nothing else: %s',
    async (path) => {
      const { headers } = await ask(0, path);
      expect([headers[NAME], headers['x-own']]).toEqual([YEAR, 'kept']);
    },
  );

  it('does so where nobody wrote a head', async () => {
    expect((await ask(0, '/nothing')).headers[NAME]).toBe(YEAR);
  });

  it('does so where it refuses before anything of ours is asked', async () => {
    const { port } = new URL(servers[0]?.url ?? '');
    const socket = connect(Number(port), '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
    const said = Buffer.concat(await socket.toArray()).toString();
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said.toLowerCase()).toContain(`${NAME}: ${YEAR}`);
  });
});

it('an answer of a server that is not reached over TLS says nothing of it', async () => {
  expect((await ask(1, '/object')).headers[NAME]).toBeUndefined();
  expect((await ask(1, '/nothing')).headers[NAME]).toBeUndefined();
});
