import { type Database, DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';

/** SQLSTATEs of a full disk, an I/O error and a read-only database. */
const CANNOT_WRITE = /^(53|58|25006)/;
/** Writes a page to a new file, which is dropped on commit. */
const WRITE = `create temp table write_check on commit drop as select repeat('x', 4000)`;

export interface WatchedWrites {
  readonly database: Database;
  /** True if the last durable transaction did not fail because the database takes no writes, or if a write succeeds now. */
  canWrite(): Promise<boolean>;
}

const isFailure = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (error instanceof DatabaseError && CANNOT_WRITE.test(error.code));

/** Watches the durable transactions of a database, such as subscriptions. */
export function watchWrites(database: Database): WatchedWrites {
  let isFailing = false;
  const watched: Database = {
    ...database,
    async transaction(work, options = {}) {
      if (!options.durable) return database.transaction(work, options);
      try {
        const result = await database.transaction(work, options);
        isFailing = false;
        return result;
      } catch (error) {
        isFailing ||= isFailure(error);
        throw error;
      }
    },
  };
  return {
    database: watched,
    async canWrite() {
      if (!isFailing) return true;
      try {
        await database.transaction((transaction) => transaction.query(WRITE), { durable: true });
        isFailing = false;
      } catch (error) {
        // Any other error, such as a role's missing right to create temporary tables, does not mean that inserts fail.
        isFailing = isFailure(error);
      }
      return !isFailing;
    },
  };
}
