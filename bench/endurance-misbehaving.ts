import { createConnection, type Socket } from 'node:net';
import type { AtEnd } from './ends.ts';
import type { Asked } from './wrk.ts';

const EVERY_MS = 20;
/** Time that a client stalls before it disconnects (ms). */
const STALLED_MS = 10_000;

const WAYS = ['hung up', 'stalled within their request', 'read nothing', 'sent nonsense'] as const;
export type Misbehaved = Record<`clients that ${(typeof WAYS)[number]}`, number>;

/** The text of a request, repeated `times` times. */
function textOf({ path, headers }: Asked, times = 1): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${fields.join('')}\r\n`.repeat(times);
}

/** Runs each kind of misbehaving client in turn, until stopped. Returns the number of clients of each kind. */
export function misbehave(url: string, reads: readonly Asked[], atEnd: AtEnd): { stop: () => Misbehaved } {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const counts = [0, 0, 0, 0];
  let turn = 0;

  function connect(work: (socket: Socket) => void): void {
    const socket = createConnection({ host: hostname, port: Number(port) });
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.once('connect', () => work(socket));
  }

  function once(): void {
    const read = reads[turn % reads.length];
    if (read === undefined) return;
    const way = turn % WAYS.length;
    turn += 1;
    counts[way] = (counts[way] ?? 0) + 1;
    const later = (socket: Socket) => setTimeout(() => socket.destroy(), STALLED_MS);
    connect((socket) => {
      if (way === 0) {
        socket.write(textOf(read, 4), () => socket.destroy());
      } else if (way === 1) {
        socket.resume().write(textOf(read).slice(0, -10));
        later(socket);
      } else if (way === 2) {
        // Request more than the socket buffers can hold, and read no response.
        socket.pause().write(textOf(read, 200));
        later(socket);
      } else {
        const { apikey = '' } = read.headers;
        const nonsense = {
          path: `/rest/v1/market_metrics?utm_source=${turn}`,
          headers: { apikey, 'x-long': 'x'.repeat(4_000) },
        };
        socket.resume().write(textOf(nonsense));
        setTimeout(() => socket.destroy(), EVERY_MS);
      }
    });
  }

  const timer = setInterval(once, EVERY_MS);
  const stop = () => {
    clearInterval(timer);
    for (const socket of open) socket.destroy();
    return Object.fromEntries(WAYS.map((way, at) => [`clients that ${way}`, counts[at] ?? 0])) as Misbehaved;
  };
  atEnd(stop);
  return { stop };
}
