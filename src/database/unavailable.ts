import { DatabaseError } from './port.ts';

export type UnavailableReason =
  | 'locked'
  | 'full'
  | 'unwritable'
  | 'not a database'
  | 'damaged'
  | 'misconfigured'
  | 'unreachable'
  /** The connection broke. A commit under way may have succeeded. */
  | 'lost'
  | 'newer'
  | 'closed';

interface UnavailableOptions extends ErrorOptions {
  /** True if the failure may end without action. By default, true for a lost connection and an unreachable server. */
  readonly isTransient?: boolean;
}

/** The database cannot be used at all. The message is one plain sentence for the operator. */
export class DatabaseUnavailable extends Error {
  readonly reason: UnavailableReason;
  readonly isTransient: boolean;

  constructor(reason: UnavailableReason, message: string, options: UnavailableOptions = {}) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
    this.reason = reason;
    this.isTransient = options.isTransient ?? ['lost', 'unreachable'].includes(reason);
  }
}

/** Thrown by every use of a database after its `close`. */
export function databaseClosed(): DatabaseUnavailable {
  return new DatabaseUnavailable('closed', 'The database is closed.');
}

/** SQLSTATEs of a broken connection, a starting or stopping Postgres, and too many connections. */
export const TRANSIENT_STATES = /^(08|57P0[1-3]|53300)/;

/**
 * True if a failure may end without action: the server is down or starting. False for a wrong password, for example.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.test(error.code);
  return error instanceof DatabaseUnavailable && error.isTransient;
}
