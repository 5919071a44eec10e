import { type ProblemSummary, printable } from '#collector/problems.ts';
import type { RecordedRun, RunReport } from '#collector/runs/runs.ts';
import { nameCalls, nameFailures, nameMissing, writeCount, writeNumber } from './wording.ts';

/** Lists the first messages of each kind of problem, and the number of further messages. */
export function linesOf(problems: readonly ProblemSummary[]): string[] {
  const messages = problems.flatMap(({ first }) => first);
  const more = problems.reduce((sum, problem) => sum + problem.count, 0) - messages.length;
  return [
    ...messages.map((message) => `  ${message}`),
    ...(more > 0 ? [`  and ${writeNumber(more)} more`] : []),
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
  const notes = run.notes.length > 0 ? ['Notes:', ...linesOf(run.notes)] : [];
  return [`${written}${refused}`, ...linesOf(run.refusals), ...requestLines(run), ...notes].join('\n');
}

const GAP = '  ';
const HEADINGS = ['started', 'job', 'source', 'period', 'status', 'duration', 'reason'] as const;

/** Returns for example '2026-11-23 18:00', in UTC; '-' for null. */
const writeTime = (at: string | null): string => at?.slice(0, 16).replace('T', ' ') ?? '-';

/** Returns for example '12 s' or '3 min 5 s'; '-' for null. */
function writeDuration(seconds: number | null): string {
  if (seconds === null) return '-';
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function reasonOf({ error, rowsRefused, problems }: RecordedRun): string {
  if (error !== null) return error;
  const first = problems[0]?.first[0];
  const refused = rowsRefused === 0 ? '' : `${writeCount(rowsRefused, 'row')} refused`;
  return [refused, first ?? ''].filter((part) => part !== '').join(': ');
}

export function describeRuns(runs: readonly RecordedRun[]): string {
  if (runs.length === 0) return 'No run of the collector is recorded yet. Run collect, or start the server.';
  const cells = [
    HEADINGS,
    ...runs.map((run) => [
      writeTime(run.startedAt),
      run.job,
      run.source,
      writeTime(run.period),
      run.status,
      writeDuration(run.seconds),
      printable(reasonOf(run)),
    ]),
  ];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}
