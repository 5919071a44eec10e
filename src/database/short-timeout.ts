import type { Database } from './port.ts';

/** Longer than an indexed statement takes on a busy machine (ms). */
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
