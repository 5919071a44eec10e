import { existsSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange } from '#tests/support/raw-http.ts';
import { connectionLimit, type Listening, listen } from './listen.ts';

let server: Listening | null = null;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Starts a server. `next` resolves to the response of the next request; the test must end that response. */
async function start(options: Parameters<typeof listen>[3] = {}) {
  const pending: ServerResponse[] = [];
  const waiting: ((response: ServerResponse) => void)[] = [];
  server = await listen(
    (_, response) => {
      const take = waiting.shift();
      if (take === undefined) pending.push(response);
      else take(response);
    },
    '127.0.0.1',
    0,
    options,
  );
  const next = () => {
    const response = pending.shift();
    return response === undefined
      ? new Promise<ServerResponse>((resolve) => waiting.push(resolve))
      : Promise.resolve(response);
  };
  return { server, next };
}

const ask = (url: string) =>
  new Promise<{ connection: string | undefined; text: string; port: number | undefined }>(
    (resolve, reject) => {
      const asked = request(url, { agent }, (response: IncomingMessage) => {
        const port = response.socket.localPort;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve({ connection: response.headers.connection, text, port }));
      });
      asked.on('error', reject);
      asked.end();
    },
  );

const connectTo = (url: string) => connect(Number(new URL(url).port), '127.0.0.1');

/** Ends a response with a body. If `writeHead` receives a list, it ignores a `Connection` header that was set before. */
const done = (response: ServerResponse) => response.writeHead(200, ['Content-Length', '4']).end('done');

/** The maximum backlog of a listening socket on Linux. On other systems 128, their usual default. */
function maxBacklog(): number {
  const path = '/proc/sys/net/core/somaxconn';
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 128;
}

it('connections that arrive at once are all established at the first attempt while the server is busy', async () => {
  const { server } = await start();
  const { hostname, port } = new URL(server.url);
  const count = Math.min(2_000, maxBacklog());
  let established = 0;
  // Opens all connections in one turn of the event loop. The server uses the same event loop, so it accepts none
  // meanwhile.
  const sockets = Array.from({ length: count }, () =>
    connect({ host: hostname, port: Number(port) }, () => {
      established += 1;
    }).on('error', () => undefined),
  );
  // If the backlog has no room for a connection, the connection succeeds at its second attempt, a second later.
  const firstTurn = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await firstTurn;
  for (const socket of sockets) socket.destroy();
  expect(established).toBe(count);
});

describe('a server that drains', () => {
  it('closes each connection after its next response', async () => {
    const { server, next } = await start();
    const first = ask(server.url);
    done(await next());
    expect((await first).connection).toBe('keep-alive');

    const pending = ask(server.url);
    const response = await next();
    server.drain();
    done(response);
    const last = await pending;
    expect(last).toMatchObject({ connection: 'close', text: 'done', port: (await first).port });

    const again = ask(server.url);
    done(await next());
    const { connection, port } = await again;
    expect(connection).toBe('close');
    expect(port).not.toBe(last.port);
  });

  it('sends all pending responses of a connection before it closes', async () => {
    const { server, next } = await start();
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const socket = connectTo(server.url);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.write(request.repeat(2));
    const responses = [await next(), await next()];
    server.drain();
    socket.write(request);
    responses.push(await next());
    for (const response of responses) done(response);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.match(/connection: [\w-]+|done/gi)).toEqual([
      ...['Connection: keep-alive', 'done', 'Connection: keep-alive', 'done', 'Connection: close', 'done'],
    ]);
  });

  it('finishes pending responses when it closes, and refuses new connections', async () => {
    const { server, next } = await start();
    const idle = connectTo(server.url);
    const idleEnded = new Promise((resolve) => idle.on('error', () => undefined).once('close', resolve));
    await new Promise((resolve) => idle.once('connect', resolve));
    const pending = ask(server.url);
    const response = await next();
    const closed = server.close();
    await idleEnded;
    done(response);
    expect(await pending).toMatchObject({ connection: 'close', text: 'done' });
    await closed;
    await expect(ask(server.url)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the limit of connections', () => {
  it('reserves open files for the server itself', () => {
    expect([64, 256, 1_024, 1_048_576].map(connectionLimit)).toEqual([32, 128, 896, 10_000]);
    expect(connectionLimit(Number.NaN)).toBe(10_000);
    expect(connectionLimit()).toBeGreaterThan(0);
  });

  it('refuses a connection over the limit with a log line', async () => {
    const reports: number[] = [];
    const { server } = await start({ maxConnections: 2, onRefused: (limit) => reports.push(limit) });
    const sockets = [1, 2, 3].map(() => connectTo(server.url).on('error', () => undefined));
    await expect.poll(() => reports[0]).toBe(2);
    for (const socket of sockets) socket.destroy();
  });
});

it('a connection with unread responses is closed after a hundred pending requests', async () => {
  let asked = 0;
  server = await listen(
    () => {
      asked += 1;
    },
    '127.0.0.1',
    0,
  );
  const socket = connectTo(server.url);
  socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  expect(asked).toBeLessThanOrEqual(100);
});

describe('a request without a Host header', () => {
  /** Sends bytes. Returns the statuses of the responses, and the paths of the requests that the server has handled. */
  async function send(bytes: string) {
    const handled: (string | undefined)[] = [];
    server = await listen(
      (request, response) => {
        handled.push(request.url);
        response.end();
      },
      '127.0.0.1',
      0,
    );
    const { answers, isEnded } = await exchange(server.url, bytes);
    return { statuses: answers.map(({ status }) => status), handled, isEnded };
  }
  const named = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

  it('is refused with all later requests of the connection', async () => {
    const bytes = `${named('/before')}GET /it HTTP/1.1\r\n\r\n${named('/behind')}${named('/behind')}`;
    expect(await send(bytes)).toEqual({ statuses: [200, 400], handled: ['/before'], isEnded: true });
  });

  it('is handled over HTTP/1.0, which some health checks use', async () => {
    expect(await send('GET /it HTTP/1.0\r\n\r\n')).toMatchObject({ statuses: [200], handled: ['/it'] });
  });
});
