import { writeSync } from 'node:fs';
import type { Database } from '#database/port.ts';

/** Prints a line of a child process at once, also if the process is killed next. */
export const say = (line: string) => writeSync(1, `${line}\n`);

/**
 * A database of a child process that prints a line when a transaction starts, one when its work is done but not committed, and
 * with `statements` one before each query.
 */
export function logTransactions(database: Database, { statements = false } = {}): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (transaction) => {
        say('begun');
        const query: typeof transaction.query = (sql, parameters) => {
          if (statements) say('query');
          return transaction.query(sql, parameters);
        };
        const result = await work({ ...transaction, query });
        say('worked');
        return result;
      }, options),
  };
}
