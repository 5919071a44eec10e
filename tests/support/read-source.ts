import type { Source, SourceReading, SourceRequest } from '#collector/history/source.ts';
import { createProblems } from '#collector/problems.ts';

/** Reads a source over an empty database, by default in a scheduled run. */
export async function readSource(
  source: Source,
  now: number,
  request: Partial<SourceRequest> = {},
): Promise<SourceReading> {
  const plan = await source.plan({
    now,
    job: 'collect',
    problems: createProblems(),
    stored: null,
    report: () => undefined,
    signal: new AbortController().signal,
    ...request,
  });
  return plan.read(null);
}
