/** A parameter's value. Dates and JSON are passed as text, arrays as arrays. */
export type Parameter = string | number | boolean | null | readonly string[] | readonly number[];

/**
 * A row. SQL numbers are numbers, booleans are booleans, json is parsed, `date` is
 * `YYYY-MM-DD`, `timestamptz` is ISO text in UTC with milliseconds, everything else is text.
 */
export type Row = Record<string, unknown>;

/** An open transaction. Its methods throw after the `work` of the transaction has ended. */
export interface Transaction {
  /** Runs one statement. Throws `DatabaseError`. */
  query<R extends object = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]>;
  /** Runs several statements without parameters. `sql` must not contain input from outside. */
  script(sql: string): Promise<void>;
  /** Runs `copy … from stdin …` and returns the number of rows. The caller must not use `data` again. */
  copyIn(sql: string, data: Uint8Array): Promise<number>;
  /** Runs `copy … to stdout …` and yields its output in pieces, which may end within a row. Stopping before the end fails the transaction. */
  copyOut(sql: string): AsyncIterable<Uint8Array>;
}

export interface TransactionOptions {
  /** The role that `set local role` sets. Without it, the statements run as the owner of the tables. */
  role?: 'anon' | 'service_role';
  readOnly?: boolean;
  /** All statements see the database as of the first one (repeatable read). */
  snapshot?: boolean;
  /** Once the promise resolves, the commit survives a power cut. */
  durable?: boolean;
  /** A statement that takes longer is cancelled, and the transaction fails with SQLSTATE 57014. A minute by default. */
  statementTimeoutMs?: number;
}

/** A transaction that only reads; one whose statements all see the database as of the first; and a durable one. */
export const READ_ONLY: TransactionOptions = { readOnly: true };
export const SNAPSHOT: TransactionOptions = { readOnly: true, snapshot: true };
export const DURABLE: TransactionOptions = { durable: true };

export interface Database {
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it throws. No two transactions share a
   * session at the same time. Throws `DatabaseError`, or the error of `work`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `wake` after a notification until stopped. Notifications may be lost, and none arrives through a pooler. */
  listen(channel: string, wake: () => void): () => Promise<void>;
  close(): Promise<void>;
}

export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: string;
  readonly detail: string | null;
  readonly hint: string | null;

  constructor(fields: { message: string; code: string; detail?: string | null; hint?: string | null }) {
    super(fields.message);
    this.code = fields.code;
    this.detail = fields.detail ?? null;
    this.hint = fields.hint ?? null;
  }
}

/** Runs one statement in a transaction of its own. Throws `DatabaseError`. */
export function queryOnce<R extends object = Row>(
  database: Database,
  sql: string,
  parameters: readonly Parameter[] = [],
  options?: TransactionOptions,
): Promise<R[]> {
  return database.transaction((transaction) => transaction.query<R>(sql, parameters), options);
}

/** Runs one statement that only reads. Throws `DatabaseError`. */
export const readOnce = <R extends object = Row>(
  database: Database,
  sql: string,
  parameters: readonly Parameter[] = [],
) => queryOnce<R>(database, sql, parameters, READ_ONLY);

/** Returns an SQL expression that converts a timestamptz to epoch milliseconds. */
export function epochMs(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000)::double precision`;
}
