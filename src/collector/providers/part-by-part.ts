import type { Problems } from '../problems.ts';
import { ProviderError } from './provider-error.ts';

/**
 * Reads the parts of a provider's answer one after another. A part that fails is noted and costs the others nothing;
 * when all fail, the first failure is thrown.
 */
export async function partByPart<T>(
  parts: readonly T[],
  problems: Problems,
  read: (part: T) => Promise<void>,
): Promise<void> {
  const failed: ProviderError[] = [];
  for (const part of parts) {
    try {
      await read(part);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failed.push(error);
    }
  }
  const [first] = failed;
  if (first !== undefined && failed.length === parts.length) throw first;
  for (const { message } of failed) problems.note('provider', message);
}
