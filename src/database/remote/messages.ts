import type { Parameter, Row, TransactionOptions } from '../port.ts';
import type { SentError } from './errors.ts';

/** A request to the process that has the database open. */
export type RemoteAsk =
  | { readonly kind: 'begin'; readonly options: TransactionOptions }
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'script'; readonly sql: string }
  | { readonly kind: 'copyIn'; readonly sql: string; readonly data: Uint8Array }
  | { readonly kind: 'copyOut'; readonly sql: string }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'vacuum' };

/** The result of each kind of request. */
export interface RemoteAnswers {
  begin: null;
  query: Row[];
  script: null;
  copyIn: number;
  copyOut: Uint8Array;
  commit: null;
  rollback: null;
  vacuum: null;
}

/** `call` identifies the request, `transaction` the `begin` that it belongs to. Each client counts its own. */
export interface RemoteRequest {
  readonly call: number;
  readonly transaction: number;
  readonly ask: RemoteAsk;
}

export type RemoteReply =
  | { readonly call: number; readonly answer: RemoteAnswers[keyof RemoteAnswers] }
  | { readonly call: number; readonly error: SentError };
