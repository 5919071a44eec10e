import { createProblems, type Problems } from '#collector/problems.ts';
import { createHttpClient, type HttpClient } from '#collector/providers/http-client.ts';

/** An http client whose waits take no time, with somewhere to name problems. */
export interface Asking {
  http: HttpClient;
  problems: Problems;
  now: number;
  /** What was refused so far, in words. */
  refused(): string[];
}

/** `now` is our clock, in ISO. */
export function asking(now: string): Asking {
  const problems = createProblems();
  const at = Date.parse(now);
  return {
    http: createHttpClient({
      fetch,
      now: () => at,
      sleep: async () => undefined,
      random: () => 0.5,
      userAgent: 'Barometer/test',
      signal: new AbortController().signal,
    }),
    problems,
    now: at,
    refused: () => problems.shown.map(({ message }) => message),
  };
}
