import type { Problems } from '../problems.ts';
import { ProviderError } from './provider-error.ts';

/**
 * Reads the parts of a request one after another. A failed part is noted and does not affect the others; if all fail,
 * the first error is thrown.
 */
export async function readParts<T>(
  parts: readonly T[],
  problems: Problems,
  readPart: (part: T) => Promise<void>,
): Promise<void> {
  const failed: ProviderError[] = [];
  for (const part of parts) {
    try {
      await readPart(part);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failed.push(error);
    }
  }
  const [first] = failed;
  if (first !== undefined && failed.length === parts.length) throw first;
  for (const { message } of failed) problems.note('provider', message);
}
