import type { Finding, Subject } from '../../src/cli/doctor/finding.ts';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

/** The input of a check with these settings. */
export const subjectOf = (values: Record<string, string> = {}, now = 0, timeoutMs = 0): Subject => ({
  environment: readEnvironment(values),
  now,
  timeoutMs,
});

/** Each finding as a line with its state. */
export const linesOf = (findings: readonly Finding[]): string[] =>
  findings.map(({ state, text }) => `${state} ${text}`);
