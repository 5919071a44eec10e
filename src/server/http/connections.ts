import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Time (ms) for pending responses when the server closes. */
const CLOSE_TIMEOUT_MS = 10_000;

/** 10,000 connections take about 200 MB. */
const MAX_CONNECTIONS = 10_000;
/** Open files reserved for the database, files and mails. */
const OWN_FILES = 128;

/** The limit of open files, which include connections. NaN if the system is not Linux. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** The maximum number of connections for a limit of open files. */
export function connectionLimit(openFiles = openFilesLimit()): number {
  if (Number.isNaN(openFiles)) return MAX_CONNECTIONS;
  return Math.min(MAX_CONNECTIONS, Math.max(Math.floor(openFiles / 2), openFiles - OWN_FILES));
}

/**
 * Pending requests per connection; clients have one or a few. Node emits all requests of a received chunk at once, which
 * can be thousands and block other clients.
 */
const MAX_PENDING = 100;

export interface Connections {
  /** Closes each connection after its next response. Still accepts new ones. */
  drain(): void;
  /**
   * Accepts no more connections, closes idle ones at once (browsers open some in advance) and the others after their
   * response.
   */
  close(): Promise<void>;
}

/** Tracks pending responses. Must be called before other request listeners are added. */
export function followConnections(server: Server): Connections {
  const pending = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;

  /** Closes the connection after its last pending response: an earlier close would lose the responses behind it. */
  function endAfterLast(responses: ReadonlySet<ServerResponse>): void {
    let at = 0;
    for (const response of responses) {
      at += 1;
      response.shouldKeepAlive = at < responses.size;
    }
  }
  let isClosing = false;
  // Shared by all requests: a closure for each would cost time under load.
  function forget(this: Socket): void {
    pending.delete(this);
  }
  function finished(this: ServerResponse): void {
    const { socket } = this.req;
    const responses = pending.get(socket);
    responses?.delete(this);
    if (isClosing && responses?.size === 0) socket.end();
  }
  server.on('connection', (socket) => {
    pending.set(socket, new Set());
    socket.once('close', forget);
  });
  server.on('request', ({ socket }, response) => {
    const responses = pending.get(socket);
    if (responses === undefined) return;
    responses.add(response);
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
