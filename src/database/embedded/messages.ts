import type { Statement, StatementResult } from '../statements.ts';

/** The task of a worker: create a new database folder and end, or serve one. */
export interface WorkerTask {
  task: 'create' | 'serve';
  folder: string;
}

/** A request to the worker, which replies to requests in their order. */
export type WorkerMessage = (Statement | { readonly kind: 'close' }) & {
  /** The statements that begin the transaction, to run first. */
  readonly begin?: string | undefined;
  /** True if the plan of a query is kept for the next query with the same SQL. */
  readonly keepsPlan?: boolean | undefined;
};

export interface WorkerError {
  message: string;
  /** The SQLSTATE; null if the error is not the database's, and the session is lost. */
  code: string | null;
  detail: string | null;
  hint: string | null;
}

export type WorkerReply =
  | { kind: 'ready' }
  | { kind: 'failed'; error: WorkerError }
  | { kind: 'lost'; error: WorkerError }
  | { kind: 'answer'; answer: StatementResult }
  | { kind: 'refused'; error: WorkerError }
  /** Belongs to no request: a commit has notified a channel. Sent before the reply to that commit. */
  | { kind: 'notified'; channel: string; payload: string };
