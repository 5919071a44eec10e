import { createProblems, type Problems } from '#collector/problems.ts';
import { createHttpClient } from '#collector/providers/http-client.ts';
import type { HttpClient } from '#collector/providers/provider.ts';

/** The parts of a provider request that tests share. The HTTP client never waits. */
export interface ProviderContext {
  http: HttpClient;
  problems: Problems;
  now: number;
  /** Messages about the values rejected so far. */
  rejected(): string[];
}

/** A context whose clock is stopped at `now` (ISO). */
export function providerContext(now: string): ProviderContext {
  const problems = createProblems();
  const at = Date.parse(now);
  return {
    http: createHttpClient({
      fetch,
      now: () => at,
      monotonicNow: () => at,
      sleep: async () => undefined,
      random: () => 0.5,
      userAgent: 'Barometer/test',
      signal: new AbortController().signal,
    }),
    problems,
    now: at,
    rejected: () => problems.shown.map(({ message }) => message),
  };
}
