import { createProblems } from '#collector/problems.ts';
import type { SourceRequest } from '#collector/sources/source.ts';

/** The request of a test run, over an empty database by default. */
export function sourceRequest(now: number, request: Partial<SourceRequest> = {}): SourceRequest {
  return {
    now,
    job: 'collect',
    problems: createProblems(),
    stored: null,
    store: async () => null,
    report: () => undefined,
    signal: new AbortController().signal,
    ...request,
  };
}
