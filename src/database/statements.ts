import type { TransactionOptions } from './port.ts';

/** What opens a transaction, in one round trip. Everything it sets is local, so nothing reaches the next one. */
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
