import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  type Connections,
  connectionLimit,
  followConnections,
  type OnResponse,
  oneRequestPerTurn,
} from './connections.ts';
import { sendText } from './response.ts';

/** Limits of one connection. Its number of requests has no limit, which would lose pending requests. */
const CONNECTION_LIMITS = {
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  /** Interval of the checks of these limits. A limit may be exceeded by up to this time. */
  checkMs: 5_000,
  keepAliveMs: 65_000,
  /** Time after which a connection is closed if no byte was sent or received, even during a response. */
  idleMs: 60_000,
} as const;

/** Connections that may wait to be accepted; Node's default is 511. Linux lowers it to `net.core.somaxconn`. */
const BACKLOG = 4_096;

const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `Port ${port} is in use. Stop the program that uses it, or set PORT to another one.`,
  EACCES: (_host, port) =>
    `This user may not listen on port ${port}. Set PORT to a number from 1024 to 65535.`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}. Set HOST to one of its addresses.`,
  ENOTFOUND: (host) => `The name ${host} cannot be resolved. Set HOST to an address of this machine.`,
};

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const sentence = REASONS[error.code ?? '']?.(host, port);
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}

/** Returns the address of a server that listens on a host and a port. The host may be an IPv6 address. */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

type ConnectionLimits = Readonly<Record<keyof typeof CONNECTION_LIMITS, number>>;

/** Refuses an HTTP/1.1 request without a Host header, and ignores all later requests of its connection. */
function requireHost(handle: RequestListener): RequestListener {
  const ended = new WeakSet<Socket>();
  return (request, response) => {
    const { headers, httpVersion, socket } = request;
    if (socket.destroyed || ended.has(socket)) return;
    if (headers.host !== undefined || httpVersion !== '1.1') {
      handle(request, response);
      return;
    }
    ended.add(socket);
    sendText(request, response, 400, 'The Host header is missing.', { Connection: 'close' });
  };
}

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

const HSTS = 'Strict-Transport-Security';
/** Valid for a year, for this host but not for its subdomains. */
const HSTS_VALUE = 'max-age=31536000';

const secured = (head: Head) =>
  Array.isArray(head) ? [...head, HSTS, HSTS_VALUE] : { ...head, [HSTS]: HSTS_VALUE };

/** Adds Strict-Transport-Security. It is the class of the listener's responses, so that no route omits the header. */
export class HstsResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, reasonOrHead?: string | Head, head?: Head): this {
    if (typeof reasonOrHead === 'string') return super.writeHead(status, reasonOrHead, secured(head));
    return super.writeHead(status, secured(reasonOrHead));
  }
}

export interface ListenOptions {
  readonly limits?: Partial<ConnectionLimits>;
  readonly Response?: typeof ServerResponse | undefined;
  /** Called for each connection over `maxConnections`, which is closed at once. */
  readonly onRefused?: (limit: number) => void;
  readonly maxConnections?: number;
  readonly onResponse?: OnResponse;
}

export interface Listening extends Connections {
  readonly url: string;
  /** Replaces the handler of all later requests. */
  serve(handler: RequestListener): void;
}

/** Listens on `host:port`; port 0 means any free port. Rejects with a sentence for the operator if it cannot listen. */
export function listen(
  first: RequestListener,
  host: string,
  port: number,
  options: ListenOptions = {},
): Promise<Listening> {
  const { Response = ServerResponse, onRefused, onResponse, maxConnections = connectionLimit() } = options;
  const { headerBytes, headersMs, requestMs, checkMs, keepAliveMs, idleMs } = {
    ...CONNECTION_LIMITS,
    ...options.limits,
  };
  const server = createServer({
    ServerResponse: Response,
    // Node's own check would still handle the requests after the refused one; see `requireHost`.
    requireHostHeader: false,
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
  });
  const connections = followConnections(server, onResponse);
  let handle = first;
  const withHost = requireHost((request, response) => handle(request, response));
  server.on('request', oneRequestPerTurn(withHost));
  server.timeout = idleMs;
  server.maxConnections = maxConnections;
  server.on('drop', () => onRefused?.(maxConnections));
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, BACKLOG, () => {
      const { port: actual } = server.address() as AddressInfo;
      const serve = (handler: RequestListener) => {
        handle = handler;
      };
      resolve({ url: urlOf(host, actual), serve, ...connections });
    });
  });
}
