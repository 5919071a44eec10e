import type { Database, Parameter, TransactionOptions } from '#database/port.ts';

/** A database whose statements get the rows that `query` returns. It runs no script and copies nothing. */
export function stubDatabase(
  query: (
    sql: string,
    parameters: readonly Parameter[],
    options: TransactionOptions,
  ) => Promise<readonly object[]>,
): Database {
  const unused = () => {
    throw new Error('not used');
  };
  return {
    transaction: (work, options = {}) =>
      work({
        query: async <R extends object>(sql: string, parameters: readonly Parameter[] = []) =>
          (await query(sql, parameters, options)) as R[],
        ...{ script: unused, copyIn: unused, copyOut: unused },
      }),
    listen: unused,
    close: async () => undefined,
  };
}
