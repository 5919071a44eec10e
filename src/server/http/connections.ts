import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Time (ms) that pending responses have when the server closes. */
const CLOSE_TIMEOUT_MS = 10_000;

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

/** Maximum number of pending requests of one connection. Node emits all that have arrived at once, even thousands. */
const MAX_PENDING = 100;

export interface Connections {
  /** Closes each connection after its next response. The server still accepts new connections. */
  drain(): void;
  /** Accepts no more connections. Closes idle ones at once, and the others after their last pending response. */
  close(): Promise<void>;
}

/** Called after each response that was sent, with the time since its request was received (s). */
export type OnResponse = (request: IncomingMessage, response: ServerResponse, seconds: number) => void;

/** Tracks pending responses. Must be called before other request listeners are added. */
export function followConnections(server: Server, onResponse?: OnResponse): Connections {
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
