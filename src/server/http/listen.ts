import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * What one connection may cost. Not how many requests it may bring: those that are under way to a connection that ends
 * at a number of them would fail.
 */
const CONNECTION_LIMITS = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  /** While an answer is made or sent, without a byte either way: who reads nothing is let go. */
  silentMs: 60_000,
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
  // Two functions for all: one of its own for each request or answer would be felt under load.
  function forget(this: Socket): void {
    underWay.delete(this);
  }
  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    const before = underWay.get(socket);
    if (before === undefined) return;
    underWay.set(socket, before - 1);
    if (isClosing && before === 1) socket.end();
  }
  server.on('connection', (socket) => {
    underWay.set(socket, 0);
    socket.once('close', forget);
  });
  server.on('request', ({ socket }, response) => {
    const before = underWay.get(socket);
    if (before === undefined) return;
    underWay.set(socket, before + 1);
    response.on('close', answered);
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

/** Listens on `host:port` (0 for any free one), with answers of a kind. Throws `ListenError` when that cannot be. */
export function listen(
  handle: RequestListener,
  host: string,
  port: number,
  Answer: typeof ServerResponse = ServerResponse,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(
    {
      ServerResponse: Answer,
      maxHeaderSize: CONNECTION_LIMITS.headerBytes,
      headersTimeout: CONNECTION_LIMITS.headersMs,
      requestTimeout: CONNECTION_LIMITS.requestMs,
      keepAliveTimeout: CONNECTION_LIMITS.keepAliveMs,
    },
    handle,
  );
  const close = closerOf(server);
  server.timeout = CONNECTION_LIMITS.silentMs;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: actual } = server.address() as AddressInfo;
      resolve({ url: urlOf(host, actual), close });
    });
  });
}
