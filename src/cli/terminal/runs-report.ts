import { printable } from '#collector/problems.ts';
import type { RecordedRun } from '#collector/runs.ts';
import { writeCount } from './wording.ts';

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

/** Describes runs as a table with a line per run. */
export function describeRuns(runs: readonly RecordedRun[]): string {
  if (runs.length === 0) return 'No run of the collector is recorded yet. Run collect, or start the server.';
  const cells = [
    HEADINGS,
    ...runs.map((run) => [
      writeTime(run.startedAt),
      run.job,
      run.source ?? '-',
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
