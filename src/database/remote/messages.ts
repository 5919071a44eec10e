import type { Database, Parameter, Row, TransactionOptions } from '../port.ts';
import type { SentError } from './errors.ts';

/** What is to be known of a database that another process has open. */
export interface RemoteDatabase {
  readonly engine: Database['engine'];
  readonly canVacuum: boolean;
}

/** What is asked of the process that has the database open. */
export type RemoteAsk =
  | { readonly kind: 'begin'; readonly options: TransactionOptions }
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'script'; readonly sql: string }
  | { readonly kind: 'copyIn'; readonly sql: string; readonly data: Uint8Array }
  | { readonly kind: 'copyOut'; readonly sql: string }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'vacuum' };

/** What each kind is answered with, once it is done. */
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

/** `call` is a number of its own each time, `transaction` that of the `begin` it belongs to. */
export interface RemoteRequest {
  readonly call: number;
  readonly transaction: number;
  readonly ask: RemoteAsk;
}

export type RemoteReply =
  | { readonly call: number; readonly answer: RemoteAnswers[keyof RemoteAnswers] }
  | { readonly call: number; readonly error: SentError };
