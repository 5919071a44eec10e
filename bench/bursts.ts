import { connect, type Socket } from 'node:net';
import { listen } from '#server/http/listen.ts';
import { type AtEnd, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';

const ROUNDS = 10;
/** Sizes of a burst, with the length of a request. A received chunk of 64 KB has at most a hundred requests. */
const BURSTS = [
  { requests: 90, bytes: 100 },
  { requests: 700, bytes: 700 },
] as const;
/** A response of the size of the page. */
const PAGE = Buffer.alloc(14_000, 'x');

/** A GET request of `bytes` bytes. */
function requestOf(path: string, bytes = 0): string {
  const request = (padding: string) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nX-Padding: ${padding}\r\n\r\n`;
  return request('x'.repeat(Math.max(0, bytes - request('').length)));
}

/**
 * Counts the requests of a burst that are handled between the arrival of another visitor's request and its response.
 * Unlike a time, this does not depend on other programs.
 */
export function benchBursts(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const figures: Figure[] = [];
    for (const { requests, bytes } of BURSTS) {
      const runs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) runs.push(await countBefore(requests, bytes, atEnd));
      figures.push({
        what: `requests of a burst of ${requests} before the request of another visitor`,
        ...{ value: median(runs), unit: '', runs, bound: { atMost: 2 } },
      });
    }
    return figures;
  });
}

async function countBefore(requests: number, bytes: number, atEnd: AtEnd): Promise<number> {
  let handled = 0;
  let before = Number.NaN;
  const { url, close } = await listen(
    ({ url: path }, response) => {
      if (path === '/visitor') before = handled;
      else if (handled++ === 0) visitor.write(requestOf('/visitor'));
      response.writeHead(200, { 'Content-Length': PAGE.length }).end(PAGE);
    },
    '127.0.0.1',
    0,
  );
  atEnd(close);
  const [visitor, burst] = await Promise.all([open(url), open(url)]);
  const received = countResponses(burst, requests);
  burst.write(requestOf('/', bytes).repeat(requests));
  await Promise.all([received, countResponses(visitor, 1)]);
  visitor.destroy();
  burst.destroy();
  return before;
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket)).once('error', reject);
  });
}

/** Resolves when so many responses have arrived. Rejects if the server closes the connection before. */
function countResponses(socket: Socket, responses: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = responses * PAGE.length;
    socket.once('close', () => reject(new Error('The server closed a connection.')));
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) resolve();
    });
  });
}
