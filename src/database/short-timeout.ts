import type { Database } from './port.ts';

/** Default timeout of a statement (ms). A statement that uses an index ends earlier, even on a busy machine. */
const SHORT_TIMEOUT = 15_000;

/**
 * Gives the statements of a Postgres database a short default timeout, so that callers do not wait long for a server that
 * has disappeared. Returns an embedded database unchanged.
 */
export function withShortTimeout(database: Database, statementTimeoutMs = SHORT_TIMEOUT): Database {
  if (database.engine === 'embedded') return database;
  return {
    ...database,
    transaction: (work, options) => database.transaction(work, { statementTimeoutMs, ...options }),
  };
}
