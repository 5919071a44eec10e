import type { TransactionOptions } from './port.ts';

/** The statements that begin a transaction, for one round trip. All settings are local to the transaction. */
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
