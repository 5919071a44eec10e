import type { ProblemSummary } from '#collector/problems.ts';
import type { RunReport } from '#collector/runs.ts';
import { nameCalls, nameFailures, nameMissing } from './provider-words.ts';
import { writeCount } from './write-count.ts';

/** The problems that are named, a line each, and how many more there are. */
function listed(problems: readonly ProblemSummary[]): string[] {
  const named = problems.flatMap(({ first }) => first);
  const more = problems.reduce((sum, problem) => sum + problem.count, 0) - named.length;
  return [
    ...named.map((message) => `  ${message}`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more`] : []),
  ];
}

/** What was asked of providers, who failed and what is missing; nothing for a source that asks none. */
function fetched({ providers, origins }: RunReport): string[] {
  if (providers.length === 0) return [];
  return [`asked ${nameCalls(providers)}`, ...nameFailures(providers), ...nameMissing(origins)].map(
    (text) => `  ${text}`,
  );
}

/** What a run did, for the person who started it: a line, what it refused, what it fetched and what it noticed. */
export function describeRun(run: RunReport): string {
  const { job, source, firstSession, lastSession } = run;
  const sessions =
    firstSession === lastSession ? `session ${lastSession}` : `sessions ${firstSession} to ${lastSession}`;
  const done = `${job} from ${source}: ${sessions}, ${writeCount(run.rowsWritten, 'row')} written`;
  const refused = run.rowsRefused > 0 ? `, ${writeCount(run.rowsRefused, 'row')} refused:` : '.';
  const noticed = run.notes.length > 0 ? ['Noticed:', ...listed(run.notes)] : [];
  return [`${done}${refused}`, ...listed(run.refusals), ...fetched(run), ...noticed].join('\n');
}
