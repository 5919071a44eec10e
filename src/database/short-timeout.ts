import type { Database } from './port.ts';

/** Default timeout of a statement (ms). A statement that uses an index ends earlier, even on a busy machine. */
const SHORT_TIMEOUT = 15_000;

/**
 * Gives the statements of a database a short default timeout, so that callers do not wait long for a server that has
 * disappeared.
 */
export function withShortTimeout(database: Database, statementTimeoutMs = SHORT_TIMEOUT): Database {
  return {
    ...database,
    transaction: (work, options) => database.transaction(work, { statementTimeoutMs, ...options }),
  };
}
