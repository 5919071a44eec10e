import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

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

/** Takes no more connections, lets the answers under way finish, then ends what is left. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
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
  server.maxRequestsPerSocket = CONNECTION_LIMITS.requestsPerSocket;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: actual } = server.address() as AddressInfo;
      const name = host.includes(':') ? `[${host}]` : host;
      resolve({ url: `http://${name}:${actual}`, close: () => close(server) });
    });
  });
}
