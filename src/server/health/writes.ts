import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError, DURABLE, queryOnce } from '#database/port.ts';

/** SQLSTATEs of a full disk, an I/O error and a read-only database. */
const CANNOT_WRITE = /^(53|58|25006)/;
/** Writes a page to a new table, which is dropped on commit. The page needs free space on the disk. */
const WRITE = `create temp table write_check on commit drop as select repeat('x', 4000)`;

const isFailure = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (error instanceof DatabaseError && CANNOT_WRITE.test(error.code));

/** Watches durable transactions, such as new subscriptions, for errors that show that the database accepts no writes. */
export function watchWrites(database: Database) {
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
    /** True unless a durable transaction has failed because the database takes no writes, and a write still fails. */
    async canWrite() {
      if (!isFailing) return true;
      try {
        await queryOnce(database, WRITE, [], DURABLE);
        isFailing = false;
      } catch (error) {
        // Any other error does not mean that inserts fail. For example, the role may not create temporary tables.
        isFailing = isFailure(error);
      }
      return !isFailing;
    },
  };
}
