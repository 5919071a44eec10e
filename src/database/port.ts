/** A value of a parameter. Dates are sent as text, JSON as its text. */
export type Parameter = string | number | boolean | null;

/**
 * A row as both engines give it: every SQL number is a number, booleans are booleans, json is parsed,
 * `date` is `YYYY-MM-DD`, `timestamptz` is ISO text in UTC with milliseconds, everything else is text.
 */
export type Row = Record<string, unknown>;

/** One open transaction. Not usable once its work has returned. */
export interface Transaction {
  /** Runs one statement. Throws `DatabaseError`. */
  query<R extends Row = Row>(sql: string, parameters?: readonly Parameter[]): Promise<R[]>;
  /** Runs several statements without parameters: a migration. Never text that came from outside. */
  script(sql: string): Promise<void>;
  /** Runs `copy … from stdin …`; answers how many rows it took. `data` is given away, not to be used again. */
  copyIn(sql: string, data: Uint8Array): Promise<number>;
  /** Runs `copy … to stdout …` and answers all of its output. */
  copyOut(sql: string): Promise<Uint8Array>;
}

export interface TransactionOptions {
  /** The role to take on, by `set local role`; otherwise the owner of the tables. */
  role?: 'anon' | 'service_role';
  readOnly?: boolean;
  /** All statements see the one instant of the first (repeatable read). */
  snapshot?: boolean;
  /** What it commits must survive a power cut before the promise resolves: a subscriber, a delivery. */
  durable?: boolean;
  /** A statement past this time is ended and the transaction fails with SQLSTATE 57014. */
  statementTimeoutMs?: number;
}

/** What is told of a channel; none of it may throw. */
export interface Listener {
  /** A transaction has committed that notified the channel, and every later read sees what it did. */
  notified(payload: string): void;
  /** Notifications go by unheard from here on, until `regained`. */
  lost(): void;
  /** Heard again. What was notified meanwhile is not told, and may have been anything. */
  regained(): void;
}

/** The one way to a database, whichever engine runs it. */
export interface Database {
  readonly engine: 'embedded' | 'postgres';
  /**
   * True for a database server: it can be away by itself, its notifications can be lost, and servers on other machines
   * can use it too. The embedded database is there, and notifies of every commit, as long as its process lives.
   */
  readonly isExternal: boolean;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it throws. No two
   * transactions share a session at the same time. Throws `DatabaseError`, or what `work` throws.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Hears a channel, whichever process notifies it, and answers how to stop, once that is in effect. A connection that
   * is lost, or cannot be had yet, is made anew by itself for as long as it takes; nothing of that is thrown. Throws
   * `DatabaseError` or `DatabaseUnavailable` where the database refuses to be listened to. The embedded database tells of
   * a commit before the transaction's own promise resolves. Closing the database stops it too.
   */
  listen(channel: string, listener: Listener): Promise<() => Promise<void>>;
  /** Makes room for new rows where removed ones stood. Only on an engine that does not do so by itself. */
  vacuum?(): Promise<void>;
  close(): Promise<void>;
}

/** An error of the database itself, with its SQLSTATE in `code`. */
export class DatabaseError extends Error {
  readonly code: string;
  readonly detail: string | null;
  readonly hint: string | null;

  constructor(fields: { message: string; code: string; detail?: string | null; hint?: string | null }) {
    super(fields.message);
    this.name = 'DatabaseError';
    this.code = fields.code;
    this.detail = fields.detail ?? null;
    this.hint = fields.hint ?? null;
  }
}

/** What a transaction throws whose work went on after one of its statements had failed. */
export function failedTransaction(): DatabaseError {
  return new DatabaseError({ message: 'the transaction failed earlier and was rolled back', code: '25P02' });
}
