import type { Socket } from 'node:net';
import type { Database, Transaction } from '../port.ts';
import type { Statement, StatementResult } from '../statements.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { messagesFrom, type RemoteReply, type RemoteRequest, sendMessage, sentError } from './protocol.ts';

/**
 * A connection without a request for this long is closed and its transaction rolled back (ms): the embedded database runs
 * one transaction at a time, so a client that hangs would block all others.
 */
const IDLE_MS = 10_000;

/**
 * Serves a database of this process to one connection of `openRemote`: one transaction, or one vacuum. Resolves when it is
 * done. Never rejects.
 */
export async function serveConnection(
  database: Database,
  socket: Socket,
  { idleMs = IDLE_MS } = {},
): Promise<void> {
  // A broken connection also ends the iteration over the requests, which handles it.
  socket.on('error', () => undefined);
  const requests = messagesFrom<RemoteRequest>(socket);
  const reply = (message: RemoteReply) => sendMessage(socket, message);

  async function nextRequest(): Promise<RemoteRequest> {
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, idleMs, idleError(idleMs));
    });
    try {
      const { value } = await Promise.race([requests.next(), idle]);
      if (value === undefined) throw new Error('The client has closed the connection.');
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  async function runRequests(transaction: Transaction): Promise<void> {
    reply({ result: null });
    for (;;) {
      const request = await nextRequest();
      if (request.kind === 'commit') return;
      await runStatement(transaction, request).then(
        (result) => reply({ result }),
        (error: unknown) => reply({ error: sentError(error) }),
      );
    }
  }

  try {
    const first = await nextRequest();
    if (first.kind === 'begin') await database.transaction(runRequests, first.options);
    else if (first.kind === 'vacuum') await database.vacuum?.();
    else throw unknownRequest();
    reply({ result: null });
  } catch (error) {
    reply({ error: sentError(error) });
  }
  // Closes the connection even if the client does not read the reply.
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.destroySoon();
}

const idleError = (idleMs: number) =>
  new DatabaseUnavailable(
    'lost',
    `The transaction was idle for ${idleMs / 1000} seconds and was rolled back. Run the command again.`,
  );

const unknownRequest = () =>
  new Error('The request is unknown. Use the same version of Barometer for server and command.');

async function runStatement(
  transaction: Transaction,
  request: Statement | RemoteRequest,
): Promise<StatementResult> {
  switch (request.kind) {
    case 'query':
      return transaction.query(request.sql, request.parameters);
    case 'script':
      await transaction.script(request.sql);
      return null;
    case 'copyIn':
      return transaction.copyIn(request.sql, request.data);
    case 'copyOut':
      return transaction.copyOut(request.sql);
    default:
      throw unknownRequest();
  }
}
