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

/** Bytes of the length before each message. */
const HEADER = 4;
/** A longer message is not of this protocol (bytes). */
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

/** Yields the messages that arrive at a socket until it ends. Throws if it breaks or sends anything else. */
export async function* messagesFrom<M extends RemoteRequest | RemoteReply>(
  socket: Socket,
): AsyncGenerator<M, undefined> {
  let chunks: Buffer[] = [];
  let received = 0;
  /** Bytes of the next message, with its length once that is known. */
  let wanted = HEADER;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    received += chunk.length;
    while (received >= wanted) {
      const all = Buffer.concat(chunks);
      const length = HEADER + all.readUInt32BE(0);
      if (length > LONGEST_MESSAGE) throw new Error('The message is too long.');
      const isComplete = received >= length;
      if (isComplete) yield deserialize(all.subarray(HEADER, length)) as M;
      const rest = isComplete ? all.subarray(length) : all;
      chunks = [rest];
      received = rest.length;
      wanted = isComplete ? HEADER : length;
    }
  }
}

/** An error as it is sent to another process, which throws one of the same class and message. */
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

/** Any other error is sent as its name and message. */
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

/** The error that was sent; one of another class is an `Error` with its name. */
export function receivedError(sent: SentError): Error {
  if (sent.kind === 'database') return new DatabaseError(sent);
  if (sent.kind === 'unavailable') return new DatabaseUnavailable(sent.reason, sent.message, sent);
  return Object.assign(new Error(sent.message), { name: sent.name });
}
