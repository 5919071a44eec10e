import type { Socket } from 'node:net';
import type { Database } from '../port.ts';
import { type StatementResult, withStatements } from '../statements.ts';
import { DatabaseUnavailable, databaseClosed } from '../unavailable.ts';
import {
  messagesFrom,
  type RemoteReply,
  type RemoteRequest,
  receivedError,
  sendMessage,
} from './protocol.ts';

/** Sends a request and resolves with the result. Throws the error of the reply, or `DatabaseUnavailable`. */
type SendRequest = (request: RemoteRequest) => Promise<StatementResult>;

const processEnded = () =>
  new DatabaseUnavailable(
    'lost',
    'The process that had the database open stopped before the command finished. Run the command again.',
  );

/**
 * The embedded database that another process has open. Each transaction uses a separate connection, made by `connect`,
 * which resolves with null if the process has ended. In that case, and after `close`, a transaction throws
 * `DatabaseUnavailable`.
 */
export function openRemote(connect: () => Promise<Socket | null>): Database {
  const sockets = new Set<Socket>();
  let isClosed = false;
  const ended = () => (isClosed ? databaseClosed() : processEnded());

  async function connected<T>(work: (send: SendRequest) => Promise<T>): Promise<T> {
    if (isClosed) throw databaseClosed();
    const socket = await connect();
    if (socket === null) throw processEnded();
    // A broken connection also ends the iteration over the replies, which handles it.
    socket.on('error', () => undefined);
    if (isClosed) socket.destroy();
    sockets.add(socket);
    const replies = messagesFrom<RemoteReply>(socket);
    const send: SendRequest = async (request) => {
      if (socket.destroyed) throw ended();
      sendMessage(socket, request);
      const { value: reply } = await replies.next().catch(() => {
        throw ended();
      });
      if (reply === undefined) throw ended();
      if ('error' in reply) throw receivedError(reply.error);
      return reply.result;
    };
    try {
      return await work(send);
    } finally {
      sockets.delete(socket);
      socket.destroy();
    }
  }

  return {
    engine: 'embedded',
    transaction: (work, options = {}) =>
      connected(async (send) => {
        await send({ kind: 'begin', options });
        const result = await withStatements(send, work);
        await send({ kind: 'commit' });
        return result;
      }),
    vacuum: () =>
      connected(async (send) => {
        await send({ kind: 'vacuum' });
      }),
    async close() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
