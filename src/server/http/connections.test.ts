import { existsSync, readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange } from '#tests/support/raw-http.ts';
import { connectionLimit } from './connections.ts';
import { type Listening, listen } from './listen.ts';

let server: Listening | null = null;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Starts a server whose answers the test ends itself, given as they are asked for. */
async function start(options: Parameters<typeof listen>[3] = {}) {
  const answers: ServerResponse[] = [];
  const waiting: ((answer: ServerResponse) => void)[] = [];
  server = await listen(
    (_, response) => {
      const take = waiting.shift();
      if (take === undefined) answers.push(response);
      else take(response);
    },
    '127.0.0.1',
    0,
    options,
  );
  const next = () => {
    const asked = answers.shift();
    return asked === undefined
      ? new Promise<ServerResponse>((resolve) => waiting.push(resolve))
      : Promise.resolve(asked);
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

/** An answer as it is sent once `drain` may have been called. */
const done = (answer: ServerResponse) => answer.writeHead(200, ['Content-Length', '4']).end('done');

/** Linux lowers the backlog of a listening socket to this; other systems have a default of 128. */
function mostWaiting(): number {
  const path = '/proc/sys/net/core/somaxconn';
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 128;
}

describe('connections that arrive at once', () => {
  it('are all established while the server is busy, none after a second attempt', async () => {
    const { server } = await start();
    const { hostname, port } = new URL(server.url);
    const count = Math.min(2_000, mostWaiting());
    let established = 0;
    // All are opened in one turn of the event loop, in which the server, on the same loop, accepts none.
    const sockets = Array.from({ length: count }, () =>
      connect({ host: hostname, port: Number(port) }, () => {
        established += 1;
      }).on('error', () => undefined),
    );
    // A connection that was not in the backlog is established by the next attempt, a second later.
    const firstTurn = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await firstTurn;
    for (const socket of sockets) socket.destroy();
    expect(established).toBe(count);
  });
});

describe('a server that drains', () => {
  it('goes on answering, each answer the last of its connection, those under way among them', async () => {
    const { server, next } = await start();
    const first = ask(server.url);
    done(await next());
    expect((await first).connection).toBe('keep-alive');

    const underWay = ask(server.url);
    const answer = await next();
    server.drain();
    done(answer);
    const last = await underWay;
    expect(last).toMatchObject({ connection: 'close', text: 'done', port: (await first).port });

    const again = ask(server.url);
    done(await next());
    const { connection, port } = await again;
    expect(connection).toBe('close');
    expect(port).not.toBe(last.port);
  });

  it('says so as well where an answer leaves the header out', async () => {
    const { server, next } = await start();
    server.drain();
    const asked = ask(server.url);
    const answer = await next();
    expect(answer.shouldKeepAlive).toBe(false);
    done(answer);
    expect((await asked).connection).toBe('close');
  });

  it('leaves no answer unsent that is under way behind another', async () => {
    const { server, next } = await start();
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.write(request.repeat(2));
    const answers = [await next(), await next()];
    server.drain();
    socket.write(request);
    answers.push(await next());
    for (const answer of answers) done(answer);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received.match(/connection: [\w-]+|done/gi)).toEqual([
      ...['Connection: keep-alive', 'done', 'Connection: keep-alive', 'done', 'Connection: close', 'done'],
    ]);
  });

  it('lets what is under way end when it closes, and takes nothing new', async () => {
    const { server, next } = await start();
    const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
    const idleEnded = new Promise((resolve) => idle.on('error', () => undefined).once('close', resolve));
    await new Promise((resolve) => idle.once('connect', resolve));
    const underWay = ask(server.url);
    const answer = await next();
    const closed = server.close();
    await idleEnded;
    done(answer);
    expect(await underWay).toMatchObject({ connection: 'close', text: 'done' });
    await closed;
    await expect(ask(server.url)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the number of connections', () => {
  it('leaves room for the files a server needs itself', () => {
    expect([64, 256, 1_024, 1_048_576].map(connectionLimit)).toEqual([32, 128, 896, 10_000]);
    expect(connectionLimit(Number.NaN)).toBe(10_000);
    expect(connectionLimit()).toBeGreaterThan(0);
  });

  it('is kept, and who is one too many is told of', async () => {
    let refused: number | null = null;
    const told = new Promise<void>((resolve) => {
      void start({
        mostConnections: 2,
        onRefused: (limit) => {
          refused = limit;
          resolve();
        },
      }).then(({ server }) => {
        const sockets: Socket[] = [];
        for (let each = 0; each < 3; each += 1) {
          sockets.push(connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined));
        }
        void told.then(() => {
          for (const socket of sockets) socket.destroy();
        });
      });
    });
    await told;
    expect(refused).toBe(2);
  });
});

describe('a connection that waits for no answer', () => {
  it('is ended past a hundred requests, none of which is taken up any more', async () => {
    let asked = 0;
    server = await listen(
      () => {
        asked += 1;
      },
      '127.0.0.1',
      0,
    );
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.end('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(asked).toBe(100);
  });
});

describe('a request without a host', () => {
  /** The statuses that come back, and the paths that are taken up. */
  async function sent(bytes: string) {
    const asked: (string | undefined)[] = [];
    server = await listen(
      (request, response) => {
        asked.push(request.url);
        response.end();
      },
      '127.0.0.1',
      0,
    );
    const { answers, isEnded } = await exchange(server.url, bytes);
    return { statuses: answers.map(({ status }) => status), asked, isEnded };
  }
  const named = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

  it('is refused, and ends its connection with nothing behind it taken up', async () => {
    const bytes = `${named('/before')}GET /it HTTP/1.1\r\n\r\n${named('/behind')}${named('/behind')}`;
    expect(await sent(bytes)).toEqual({ statuses: [200, 400], asked: ['/before'], isEnded: true });
  });

  it('is answered where it is of HTTP/1.0, as some health checks are', async () => {
    expect(await sent('GET /it HTTP/1.0\r\n\r\n')).toMatchObject({ statuses: [200], asked: ['/it'] });
  });
});
