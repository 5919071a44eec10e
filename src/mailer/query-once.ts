import type { Database, Parameter, Row, TransactionOptions } from '#database/port.ts';

/** Runs one statement in a transaction of its own. Throws `DatabaseError`. */
export function queryOnce<R extends Row = Row>(
  database: Database,
  sql: string,
  parameters: readonly Parameter[] = [],
  options: TransactionOptions = {},
): Promise<R[]> {
  return database.transaction((transaction) => transaction.query<R>(sql, parameters), options);
}
