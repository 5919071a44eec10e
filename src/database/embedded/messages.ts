import type { Parameter, Row } from '../port.ts';

/** What a worker is started for: making a new database folder and ending, or serving one. */
export interface WorkerTask {
  task: 'create' | 'serve';
  folder: string;
}

/** One request to the worker; it answers them in the order they come. */
export type WorkerRequest =
  | { kind: 'query'; sql: string; parameters: readonly Parameter[] }
  | { kind: 'script'; sql: string }
  | { kind: 'copyIn'; sql: string; data: Uint8Array }
  | { kind: 'copyOut'; sql: string }
  | { kind: 'close' };

/** A request as it goes to the worker, which first runs the statements that begin the transaction. */
export type WorkerMessage = WorkerRequest & { begin?: string };

/** What each kind is answered with. `script` answers the command tag of its last statement. */
export interface WorkerAnswers {
  query: Row[];
  script: string;
  copyIn: number;
  copyOut: Uint8Array;
  close: null;
}

export interface WorkerError {
  message: string;
  /** The SQLSTATE; null when it was not the database that refused, and the session is lost. */
  code: string | null;
  detail: string | null;
  hint: string | null;
}

export type WorkerReply =
  | { kind: 'ready' }
  | { kind: 'failed'; error: WorkerError }
  | { kind: 'lost'; error: WorkerError }
  | { kind: 'answer'; answer: WorkerAnswers[keyof WorkerAnswers] }
  | { kind: 'refused'; error: WorkerError }
  /** Belongs to no request: a commit notified a channel. Comes before that commit's own answer. */
  | { kind: 'notified'; channel: string; payload: string };
