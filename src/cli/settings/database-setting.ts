import { addressFault } from '#database/postgres/address.ts';
import { UsageError } from '../command.ts';
import { address, given, type Values } from './setting-values.ts';

const NAME = 'DATABASE_URL';

/** `DATABASE_URL`; null when it is not set. Throws `UsageError`, which repeats nothing of it. */
export function databaseUrl(values: Values): string | null {
  const text = given(values, NAME);
  const fault = text !== null && /^postgres(ql)?:\/\//i.test(text) ? addressFault(text) : null;
  if (fault !== null) throw new UsageError(`${NAME} ${fault}.`);
  return address(values, NAME, ['postgres:', 'postgresql:'], true);
}
