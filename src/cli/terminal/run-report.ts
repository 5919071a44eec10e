import type { ProblemSummary } from '#collector/problems.ts';
import type { RunReport } from '#collector/runs.ts';
import { nameCalls, nameFailures, nameMissing, writeCount } from './wording.ts';

/** Lists the first messages of each kind of problem, and the number of further messages. */
function listed(problems: readonly ProblemSummary[]): string[] {
  const messages = problems.flatMap(({ first }) => first);
  const more = problems.reduce((sum, problem) => sum + problem.count, 0) - messages.length;
  return [
    ...messages.map((message) => `  ${message}`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more`] : []),
  ];
}

/** Lists the requests to providers, the failures and the missing inputs. Empty for a source without providers. */
function requestLines({ providers, origins }: RunReport): string[] {
  if (providers.length === 0) return [];
  const lines = [`requests: ${nameCalls(providers)}`, ...nameFailures(providers), ...nameMissing(origins)];
  return lines.map((text) => `  ${text}`);
}

/** Describes a run in several lines: its result, the refused rows, the requests and the notes. */
export function describeRun(run: RunReport): string {
  const { job, source, firstSession, lastSession } = run;
  const sessions =
    firstSession === lastSession ? `session ${lastSession}` : `sessions ${firstSession} to ${lastSession}`;
  const written = `${job} from ${source}: ${sessions}, ${writeCount(run.rowsWritten, 'row')} written`;
  const refused = run.rowsRefused > 0 ? `, ${writeCount(run.rowsRefused, 'row')} refused:` : '.';
  const notes = run.notes.length > 0 ? ['Notes:', ...listed(run.notes)] : [];
  return [`${written}${refused}`, ...listed(run.refusals), ...requestLines(run), ...notes].join('\n');
}
