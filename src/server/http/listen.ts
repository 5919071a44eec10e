import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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

/** Maximum number of connections: 10,000 take about 200 MB. */
const MAX_CONNECTIONS = 10_000;
/** Number of open files that connections must leave for the database, files and mails. */
const OWN_FILES = 128;

/** Returns the limit of open files of this process; each connection is one of them. NaN on other systems than Linux. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

export function connectionLimit(openFiles = openFilesLimit()): number {
  if (Number.isNaN(openFiles)) return MAX_CONNECTIONS;
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(openFiles / 2), openFiles - OWN_FILES));
}

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

/** Refuses an HTTP/1.1 request without a Host header. Ignores all later requests of its connection, or of a closed one. */
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
    sendText(response, 400, 'The Host header is missing.', { Connection: 'close' });
  };
}

interface Burst {
  /** The requests of a connection that were received while an earlier one was handled, and their responses. */
  readonly requests: (readonly [request: IncomingMessage, response: ServerResponse])[];
  handled: number;
}

/** Number of requests that a client may send without waiting for a response, as browsers do. */
const FEW = 8;

/** Keeps a connection paused, because Node resumes it at the end of each response. */
function pauseAgain(this: Socket): void {
  this.pause();
}

/** Resumes a connection; after a long burst only with the last response, or clients could send faster than they read. */
function resume(socket: Socket, { requests }: Burst): void {
  const read = () => socket.off('resume', pauseAgain).resume();
  const [request, response] = requests.at(-1) ?? [];
  if (requests.length > FEW && request?.complete) response?.once('close', read);
  else read();
}

/**
 * Returns a listener that handles one request of each connection per turn of the event loop, and reads no more of it
 * meanwhile. Node emits all requests that have arrived, so one client could delay all others.
 */
export function oneRequestPerTurn(handle: RequestListener): RequestListener {
  /** The connections of which a request was handled in this turn. Null if no other request of the connection waits. */
  let turn = new Map<Socket, Burst | null>();

  function endTurn(): void {
    const ended = turn;
    turn = new Map();
    for (const [socket, burst] of ended) {
      const next = socket.destroyed ? undefined : burst?.requests[burst.handled];
      if (burst === null || next === undefined) continue;
      burst.handled += 1;
      if (burst.handled === burst.requests.length) resume(socket, burst);
      turn.set(socket, burst);
      handle(...next);
    }
    if (turn.size > 0) setImmediate(endTurn);
  }

  return (request, response) => {
    const { socket } = request;
    const burst = turn.get(socket);
    if (burst === undefined) {
      if (turn.size === 0) setImmediate(endTurn);
      turn.set(socket, null);
      handle(request, response);
    } else if (burst === null || burst.handled === burst.requests.length) {
      turn.set(socket, { requests: [[request, response]], handled: 0 });
      socket.on('resume', pauseAgain).pause();
    } else burst.requests.push([request, response]);
  };
}

/** Time (ms) that pending responses have when the server closes. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Maximum number of pending requests of one connection. Node emits all that have arrived at once, even thousands. */
const MAX_PENDING = 100;

/** Called after each response that was sent, with the time since its request was received (s). */
type OnResponse = (request: IncomingMessage, response: ServerResponse, seconds: number) => void;

/** Tracks pending responses. Must be called before other request listeners are added. */
function followConnections(server: Server, onResponse?: OnResponse): Pick<Listening, 'drain' | 'close'> {
  /** The pending responses of each connection, with the times at which their requests were received (ms). */
  const pending = new Map<Socket, Map<ServerResponse, number>>();
  let isDraining = false;

  /** Closes the connection after its last pending response. After an earlier one, the later ones would be lost. */
  function endAfterLast(responses: ReadonlyMap<ServerResponse, number>): void {
    let at = 0;
    for (const response of responses.keys()) {
      at += 1;
      response.shouldKeepAlive = at < responses.size;
    }
  }
  let isClosing = false;
  // One function for all requests, because creating a closure for each request would take time under load.
  function forget(this: Socket): void {
    pending.delete(this);
  }
  function finished(this: ServerResponse): void {
    const { socket } = this.req;
    const responses = pending.get(socket);
    const began = responses?.get(this);
    responses?.delete(this);
    if (began !== undefined && this.writableFinished) {
      onResponse?.(this.req, this, (performance.now() - began) / 1_000);
    }
    if (isClosing && responses?.size === 0) socket.end();
  }
  server.on('connection', (socket) => {
    pending.set(socket, new Map());
    socket.once('close', forget);
  });
  server.on('request', ({ socket }, response) => {
    const responses = pending.get(socket);
    if (responses === undefined) return;
    responses.set(response, performance.now());
    if (responses.size > MAX_PENDING) socket.destroy();
    if (isDraining) endAfterLast(responses);
    response.on('close', finished);
  });
  const drain = () => {
    isDraining = true;
    for (const responses of pending.values()) endAfterLast(responses);
  };
  return {
    drain,
    close: () =>
      new Promise((resolve) => {
        drain();
        isClosing = true;
        const timeout = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        server.close(() => {
          clearTimeout(timeout);
          resolve();
        });
        for (const [socket, responses] of pending) if (responses.size === 0) socket.destroy();
      }),
  };
}

interface ListenOptions {
  readonly limits?: Partial<Record<keyof typeof CONNECTION_LIMITS, number>>;
  readonly Response?: typeof ServerResponse | undefined;
  /** Called for each connection over `maxConnections`, which is closed at once. */
  readonly onRefused?: (limit: number) => void;
  readonly maxConnections?: number;
  readonly onResponse?: OnResponse;
}

export interface Listening {
  readonly url: string;
  /** Replaces the handler of all later requests. */
  serve(handler: RequestListener): void;
  /** Closes each connection after its next response. The server still accepts new connections. */
  drain(): void;
  /** Accepts no more connections. Closes idle ones at once, and the others after their last pending response. */
  close(): Promise<void>;
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
