import type { ProblemSummary } from '#collector/problems.ts';
import type { RunReport } from '#collector/runs.ts';
import { nameCalls, nameFailures, nameMissing } from './provider-words.ts';
import { writeCount } from './write-count.ts';

/** A line for each named problem, and the number of the others. */
function listed(problems: readonly ProblemSummary[]): string[] {
  const named = problems.flatMap(({ first }) => first);
  const more = problems.reduce((sum, problem) => sum + problem.count, 0) - named.length;
  return [
    ...named.map((message) => `  ${message}`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more`] : []),
  ];
}

/** Requests to providers, failures and missing inputs; nothing for a source without providers. */
function fetched({ providers, origins }: RunReport): string[] {
  if (providers.length === 0) return [];
  return [`asked ${nameCalls(providers)}`, ...nameFailures(providers), ...nameMissing(origins)].map(
    (text) => `  ${text}`,
  );
}

/** Describes a run in lines: its result, the rows it refused, its requests and its notes. */
export function describeRun(run: RunReport): string {
  const { job, source, firstSession, lastSession } = run;
  const sessions =
    firstSession === lastSession ? `session ${lastSession}` : `sessions ${firstSession} to ${lastSession}`;
  const done = `${job} from ${source}: ${sessions}, ${writeCount(run.rowsWritten, 'row')} written`;
  const refused = run.rowsRefused > 0 ? `, ${writeCount(run.rowsRefused, 'row')} refused:` : '.';
  const noticed = run.notes.length > 0 ? ['Noticed:', ...listed(run.notes)] : [];
  return [`${done}${refused}`, ...listed(run.refusals), ...fetched(run), ...noticed].join('\n');
}
