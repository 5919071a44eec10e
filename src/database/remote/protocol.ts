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

/** What tells whether waiting may mend it. */
interface Cause {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** An error on its way to another process, where it is to be of the same class and say the same. */
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
      readonly cause: Cause;
    }
  | { readonly kind: 'other'; readonly name: string; readonly message: string };

/** An error as it is sent; of one that is neither of the database's own, its name and its words. */
export function sentError(error: unknown): SentError {
  if (error instanceof DatabaseError) {
    const { message, code, detail, hint } = error;
    return { kind: 'database', message, code, detail, hint };
  }
  if (error instanceof DatabaseUnavailable) {
    const { code, message } = (error.cause ?? {}) as Cause;
    return { kind: 'unavailable', reason: error.reason, message: error.message, cause: { code, message } };
  }
  return error instanceof Error
    ? { kind: 'other', name: error.name, message: error.message }
    : { kind: 'other', name: 'Error', message: String(error) };
}

/** What was sent, made again; of a class that is not the database's, an `Error` by its name. */
export function receivedError(sent: SentError): Error {
  if (sent.kind === 'database') return new DatabaseError(sent);
  if (sent.kind === 'unavailable') {
    return new DatabaseUnavailable(sent.reason, sent.message, { cause: sent.cause });
  }
  return Object.assign(new Error(sent.message), { name: sent.name });
}
