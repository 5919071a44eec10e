import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What one connection may cost. */
const CONNECTION_LIMITS = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  requestsPerSocket: 10_000,
} as const;

const DRAIN_MS = 5_000;

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `Port ${port} is taken by another program; stop that one, or set PORT to a free port.`,
  EACCES: (_host, port) =>
    `This user may not listen on port ${port}; set PORT to a number from 1024 to 65535.`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}; set HOST to one that it has.`,
  ENOTFOUND: (host) => `The name ${host} is not known; set HOST to an address of this machine.`,
};

/** The server could not listen; the message is one plain sentence. */
export class ListenError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ListenError';
    this.code = code;
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const sentence = REASONS[error.code ?? '']?.(host, port);
  return sentence === undefined ? error : new ListenError(error.code ?? '', sentence);
}

/**
 * Follows the answers under way, and answers how to close: take no more connections, end at once those
 * on which nothing is under way (a browser opens some to have them ready), and the others after their answer.
 */
function closerOf(server: Server): () => Promise<void> {
  const underWay = new Map<Socket, number>();
  let isClosing = false;
  server.on('connection', (socket) => {
    underWay.set(socket, 0);
    socket.once('close', () => underWay.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      if (underWay.has(socket)) underWay.set(socket, left);
      if (isClosing && left === 0) socket.end();
    });
  });
  return () =>
    new Promise((resolve) => {
      isClosing = true;
      const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      server.close(() => {
        clearTimeout(impatience);
        resolve();
      });
      for (const [socket, answers] of underWay) if (answers === 0) socket.destroy();
    });
}

/** The address of a server that listens on a host, which may be an IPv6 address, and a port. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Listens on `host:port` (0 for any free one). Throws `ListenError` when that cannot be. */
export function listen(
  handle: RequestListener,
  host: string,
  port: number,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(
    {
      maxHeaderSize: CONNECTION_LIMITS.headerBytes,
      headersTimeout: CONNECTION_LIMITS.headersMs,
      requestTimeout: CONNECTION_LIMITS.requestMs,
      keepAliveTimeout: CONNECTION_LIMITS.keepAliveMs,
    },
    handle,
  );
  const close = closerOf(server);
  server.maxRequestsPerSocket = CONNECTION_LIMITS.requestsPerSocket;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: actual } = server.address() as AddressInfo;
      resolve({ url: urlOf(host, actual), close });
    });
  });
}
