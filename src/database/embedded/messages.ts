import type { Statement, StatementResult } from '../statements.ts';

/** The task of a worker: create a database in a new folder and end, or serve the database in a folder. */
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
  /** The SQLSTATE of an error in a statement; null if the worker cannot continue. */
  code: string | null;
  detail: string | null;
  hint: string | null;
}

export type WorkerReply =
  | { kind: 'ready' }
  | { kind: 'failed'; error: WorkerError }
  | { kind: 'lost'; error: WorkerError }
  | { kind: 'result'; result: StatementResult }
  | { kind: 'error'; error: WorkerError }
  /** A commit has sent a notification on a channel. This message arrives before the reply to that commit. */
  | { kind: 'notified'; channel: string; payload: string };
