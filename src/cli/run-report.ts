import type { RunReport } from '#collector/runs.ts';

const count = (number: number, thing: string) =>
  `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

/** What a run did, for the person who started it: a line, and one for each refused row that is named. */
export function describeRun({ job, source, firstSession, lastSession, ...run }: RunReport): string {
  const sessions =
    firstSession === lastSession ? `session ${lastSession}` : `sessions ${firstSession} to ${lastSession}`;
  const done = `${job} from ${source}: ${sessions}, ${count(run.rowsWritten, 'row')} written`;
  if (run.rowsRefused === 0) return `${done}.`;
  const named = run.refusals.flatMap(({ first }) => first);
  const more = run.rowsRefused - named.length;
  return [
    `${done}, ${count(run.rowsRefused, 'row')} refused:`,
    ...named.map((message) => `  ${message}`),
    ...(more > 0 ? [`  and ${more.toLocaleString('en-US')} more`] : []),
  ].join('\n');
}
