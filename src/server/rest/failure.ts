import { DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { failureFields, type Log } from '../log.ts';
import { Refusal } from './refusal.ts';
import { databaseAway, refusalOfDatabaseError } from './sqlstate.ts';

/** What is told of a failure. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseError) return refusalOfDatabaseError(error);
  if (error instanceof DatabaseUnavailable) return databaseAway(error);
  const message = 'The request could not be answered';
  return new Refusal({ status: 500, code: 'XX000', message });
}

/** Logs a failure that is none of the visitor's. */
export function logFailure(log: Log, of: { method: string; table: string }, error: unknown): void {
  if (error instanceof Refusal || refusalOf(error).status < 500) return;
  log.error('rest', { ...of, ...failureFields(error) });
}
