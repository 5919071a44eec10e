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

/** The database cannot be used at all. The message is one plain sentence for the operator. */
export class DatabaseUnavailable extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
    this.reason = reason;
  }
}

/** The error of every use of a database after its `close`. */
export function databaseClosed(): DatabaseUnavailable {
  return new DatabaseUnavailable('closed', 'The database is closed.');
}

/** SQLSTATEs of a broken connection, of a Postgres that starts or stops, and of one with too many connections. */
const TRANSIENT_STATES = /^(08|57P0[1-3]|53300)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Poolers use one code for every refusal. */
const REFUSED_BY_POOLER = /no such|not found|does not exist|unsupported|required|authentication failed/i;
/** A certificate that is not trusted, or a server without encryption. */
const NOT_TRUSTED = /CERT|LEAF_SIGNATURE|INVALID_CA|support SSL/;

/** True if a failure may go away by waiting: the server is down or starting. False for a wrong password, for example. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.test(error.code);
  if (!(error instanceof DatabaseUnavailable)) return false;
  if (error.reason !== 'unreachable' && error.reason !== 'lost') return false;
  const { code = '', message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (REFUSED_BY_POOLER.test(message)) return code === 'ENOTFOUND';
  if (NOT_TRUSTED.test(`${code} ${message}`)) return false;
  // EPIPE looks like a SQLSTATE.
  return !SQLSTATE.test(code) || code === 'EPIPE' || TRANSIENT_STATES.test(code);
}
