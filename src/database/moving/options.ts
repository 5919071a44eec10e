import type { Transaction } from '../port.ts';

/** Told how far an export or import is, in rows. */
export type Report = (progress: { stage: string; done: number; total: number }) => void;

/** A statement past this time is given up: each moves a bounded piece, or counts a table. */
export const LIMITED = { statementTimeoutMs: 300_000 } as const;

export interface MovingOptions {
  readonly report: Report;
  /** Set when it is to end. */
  readonly signal?: AbortSignal | undefined;
}

export interface ImportOptions extends MovingOptions {
  /** Throws where another process has taken over, and keeps others out until the transaction ends. */
  readonly stillMine: (transaction: Transaction) => Promise<void>;
}
