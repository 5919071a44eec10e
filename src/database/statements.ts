import type { Parameter, Row, Transaction, TransactionOptions } from './port.ts';

/** A call of a transaction, as it is sent to the worker or to another process. */
export type Statement =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'script'; readonly sql: string }
  | { readonly kind: 'copyIn'; readonly sql: string; readonly data: Uint8Array }
  | { readonly kind: 'copyOut'; readonly sql: string };

/**
 * Result of a statement: the rows of a query, the last command of a script, the number of rows copied in, or the bytes
 * copied out; null if there is no result.
 */
export type StatementResult = Row[] | string | number | Uint8Array | null;

/** Calls `work` with a transaction whose statements `run` executes. The transaction is over when `work` ends. */
export async function withStatements<T>(
  run: (statement: Statement) => Promise<StatementResult>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isOpen = true;
  const attempt = async <R>(statement: Statement): Promise<R> => {
    if (!isOpen) throw new Error('This transaction has ended.');
    return (await run(statement)) as R;
  };
  try {
    return await work({
      query: (sql, parameters = []) => attempt({ kind: 'query', sql, parameters }),
      script: async (sql) => {
        await attempt({ kind: 'script', sql });
      },
      copyIn: (sql, data) => attempt({ kind: 'copyIn', sql, data }),
      copyOut: (sql) => attempt({ kind: 'copyOut', sql }),
    });
  } finally {
    isOpen = false;
  }
}

/** The statements that begin a transaction, joined for one round trip. Their settings end with the transaction. */
export function beginStatements(options: TransactionOptions): string {
  const statements = [
    `begin${options.snapshot ? ' isolation level repeatable read' : ''}${options.readOnly ? ' read only' : ''}`,
    "set local timezone = 'UTC'",
    "set local datestyle = 'ISO'",
  ];
  if (options.durable) statements.push('set local synchronous_commit = on');
  if (options.role) statements.push(`set local role ${options.role}`);
  return statements.join('; ');
}
