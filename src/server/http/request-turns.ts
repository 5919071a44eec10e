import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
