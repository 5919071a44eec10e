import { DatabaseError, type TransactionOptions } from '../port.ts';
import type { Statement, StatementResult } from '../statements.ts';
import { DatabaseUnavailable, type UnavailableReason } from '../unavailable.ts';

/** A request to the process that has the database open. */
export type RemoteAsk =
  | Statement
  | { readonly kind: 'begin'; readonly options: TransactionOptions }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'vacuum' };

/** `call` identifies the request, `transaction` the `begin` that it belongs to. Each client counts its own. */
export interface RemoteRequest {
  readonly call: number;
  readonly transaction: number;
  readonly ask: RemoteAsk;
}

export type RemoteReply =
  | { readonly call: number; readonly answer: StatementResult }
  | { readonly call: number; readonly error: SentError };

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
