import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import { DatabaseError, type TransactionOptions } from '../port.ts';
import type { Statement, StatementResult } from '../statements.ts';
import { DatabaseUnavailable, type UnavailableReason } from '../unavailable.ts';

/**
 * A request to the process that has the database open. A connection carries one vacuum, or one transaction: `begin`,
 * statements, `commit`. If it ends before `commit`, the transaction is rolled back. Requests get one reply each, in order.
 */
export type RemoteRequest =
  | { readonly kind: 'begin'; readonly options: TransactionOptions }
  | Statement
  | { readonly kind: 'commit' }
  | { readonly kind: 'vacuum' };

export type RemoteReply = { readonly result: StatementResult } | { readonly error: SentError };

/** Size of the length field before each message (bytes). */
const HEADER = 4;
/** Maximum length of a message (bytes). Data with a longer message do not follow this protocol. */
const LONGEST_MESSAGE = 512 * 1024 * 1024;

export function sendMessage(socket: Socket, message: RemoteRequest | RemoteReply): void {
  const body = serialize(message);
  const header = Buffer.allocUnsafe(HEADER);
  header.writeUInt32BE(body.length);
  socket.cork();
  socket.write(header);
  socket.write(body);
  socket.uncork();
}

/**
 * Yields the messages that arrive at a socket until it ends. Throws if the connection breaks or the data do not follow
 * the protocol.
 */
export async function* messagesFrom<M extends RemoteRequest | RemoteReply>(
  socket: Socket,
): AsyncGenerator<M, undefined> {
  let chunks: Buffer[] = [];
  let received = 0;
  /** Number of bytes to wait for: a length field, or the whole message once its length is known. */
  let wanted = HEADER;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received += chunk.length;
    while (received >= wanted) {
      const all = Buffer.concat(chunks);
      const length = HEADER + all.readUInt32BE(0);
      if (length > LONGEST_MESSAGE)
        throw new Error(
          'A message of the database protocol is too long. Use the same version of Barometer for server and command.',
        );
      const isComplete = received >= length;
      if (isComplete) yield deserialize(all.subarray(HEADER, length)) as M;
      const rest = isComplete ? all.subarray(length) : all;
      chunks = [rest];
      received = rest.length;
      wanted = isComplete ? HEADER : length;
    }
  }
}

/**
 * An error in the form in which it is sent to another process, which throws an error with the same class and message.
 */
export type SentError =
  | {
      readonly kind: 'database';
      readonly message: string;
      readonly code: string;
      readonly detail: string | null;
      readonly hint: string | null;
    }
  | {
      readonly kind: 'unavailable';
      readonly reason: UnavailableReason;
      readonly message: string;
      readonly isTransient: boolean;
    }
  | { readonly kind: 'other'; readonly name: string; readonly message: string };

/** Converts an error for sending. An error of an unknown class is sent as its name and message. */
export function sentError(error: unknown): SentError {
  if (error instanceof DatabaseError) {
    const { message, code, detail, hint } = error;
    return { kind: 'database', message, code, detail, hint };
  }
  if (error instanceof DatabaseUnavailable) {
    const { reason, message, isTransient } = error;
    return { kind: 'unavailable', reason, message, isTransient };
  }
  return error instanceof Error
    ? { kind: 'other', name: error.name, message: error.message }
    : { kind: 'other', name: 'Error', message: String(error) };
}

/** Restores an error that was sent. An error of an unknown class becomes an `Error` with the original name. */
export function receivedError(sent: SentError): Error {
  if (sent.kind === 'database') return new DatabaseError(sent);
  if (sent.kind === 'unavailable') return new DatabaseUnavailable(sent.reason, sent.message, sent);
  return Object.assign(new Error(sent.message), { name: sent.name });
}
