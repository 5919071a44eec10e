import { createProblems } from '#collector/problems.ts';
import type { SourceRequest } from '#collector/sources/source.ts';

/** What a source is asked with in a test: a run over an empty database, unless told otherwise. */
export function sourceRequest(now: number, request: Partial<SourceRequest> = {}): SourceRequest {
  return {
    now,
    job: 'collect',
    problems: createProblems(),
    stored: null,
    report: () => undefined,
    signal: new AbortController().signal,
    ...request,
  };
}
