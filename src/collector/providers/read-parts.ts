import type { SeriesName } from '#domain/market-history.ts';
import type { Problems } from '../problems.ts';
import type { SeriesReading } from './provider.ts';
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

/** The requested series that `codes` has. */
export function seriesIn<Name extends SeriesName>(
  requested: readonly SeriesName[],
  codes: Readonly<Record<Name, string>>,
): Name[] {
  return requested.filter((name): name is Name => Object.hasOwn(codes, name));
}

/** Reads series one after another, as `readParts`. */
export async function readEachSeries<Name extends SeriesName>(
  names: readonly Name[],
  problems: Problems,
  readOne: (name: Name) => Promise<ReadonlyMap<string, number>>,
): Promise<SeriesReading> {
  const reading = new Map<SeriesName, ReadonlyMap<string, number>>();
  await readParts(names, problems, async (name) => {
    reading.set(name, await readOne(name));
  });
  return reading;
}
