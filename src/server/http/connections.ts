import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long the answers under way are waited for once nothing new is taken (ms). */
const PATIENCE_MS = 10_000;

/** So many connections cost some 200 MB; more are for another process. */
const MOST_CONNECTIONS = 10_000;
/** Of the files a process may have open, what it needs beside visitors: the database, files, mails. */
const OWN_FILES = 128;

/** What Linux lets a process have open, a connection each; no number where that is not told. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** How many connections a server takes at once, by how many files it may have open. */
export function connectionLimit(openFiles = openFilesLimit()): number {
  if (Number.isNaN(openFiles)) return MOST_CONNECTIONS;
  return Math.min(MOST_CONNECTIONS, Math.max(Math.floor(openFiles / 2), openFiles - OWN_FILES));
}

/**
 * Requests that a connection may bring while none of them is answered. Programs bring one, or a few; what reads a socket
 * hands out all that came in at once, which can be thousands, and nobody else has a turn before all are taken up.
 */
const MOST_UNANSWERED = 100;

/** How a server lets go of those who are connected. */
export interface Connections {
  /** Has each answer from now on be the last one of its connection; new ones are taken all the same. */
  drain(): void;
  /**
   * Takes no more connections, ends at once those on which nothing is under way (a browser opens some to have them
   * ready), and the others after their answer.
   */
  close(): Promise<void>;
}

/** Follows the answers under way. To be called before anything else hears of requests. */
export function followConnections(server: Server): Connections {
  const underWay = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;

  /** Has the newest answer of a connection end it: one that ended it before would leave those behind it unsent. */
  function endAfterLast(answers: ReadonlySet<ServerResponse>): void {
    let at = 0;
    for (const response of answers) {
      at += 1;
      response.shouldKeepAlive = at < answers.size;
    }
  }
  let isClosing = false;
  // Two functions for all: one of its own for each request or answer would be felt under load.
  function forget(this: Socket): void {
    underWay.delete(this);
  }
  function answered(this: ServerResponse): void {
    const { socket } = this.req;
    const answers = underWay.get(socket);
    answers?.delete(this);
    if (isClosing && answers?.size === 0) socket.end();
  }
  server.on('connection', (socket) => {
    underWay.set(socket, new Set());
    socket.once('close', forget);
  });
  server.on('request', ({ socket }, response) => {
    const answers = underWay.get(socket);
    if (answers === undefined) return;
    answers.add(response);
    if (answers.size > MOST_UNANSWERED) socket.destroy();
    if (isDraining) endAfterLast(answers);
    response.on('close', answered);
  });
  const drain = () => {
    isDraining = true;
    for (const answers of underWay.values()) endAfterLast(answers);
  };
  return {
    drain,
    close: () =>
      new Promise((resolve) => {
        drain();
        isClosing = true;
        const impatience = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
        server.close(() => {
          clearTimeout(impatience);
          resolve();
        });
        for (const [socket, answers] of underWay) if (answers.size === 0) socket.destroy();
      }),
  };
}
