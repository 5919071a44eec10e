import type { Database } from './port.ts';

/** More than any statement takes that is answered from an index (ms), on the busiest machine. */
const BRIEF_MS = 15_000;

/**
 * A database for work that has no long statements, so that nobody waits long for a Postgres that is gone without a word.
 * The embedded one answers or fails, and is given back as it is.
 */
export function brief(database: Database, statementTimeoutMs = BRIEF_MS): Database {
  if (database.engine === 'embedded') return database;
  return {
    ...database,
    transaction: (work, options) => database.transaction(work, { statementTimeoutMs, ...options }),
  };
}
