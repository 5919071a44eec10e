import type { Statement, StatementResult } from '../statements.ts';

/** The task of a worker: create a new database folder and end, or serve one. */
export interface WorkerTask {
  task: 'create' | 'serve';
  folder: string;
}

/** One request to the worker, which replies to them in their order. */
export type WorkerRequest = Statement | { kind: 'close' };

/** A request as it is sent to the worker, which first runs the statements that begin the transaction. */
export type WorkerMessage = WorkerRequest & { begin?: string };

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
