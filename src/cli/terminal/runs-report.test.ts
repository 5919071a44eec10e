import { expect, it } from 'vitest';
import type { RecordedRun } from '#collector/runs.ts';
import { describeRuns } from './runs-report.ts';

const RUN: RecordedRun = {
  job: 'collect',
  source: 'live',
  period: '2026-11-20T21:00:00.000Z',
  status: 'succeeded',
  startedAt: '2026-11-20T21:00:04.000Z',
  seconds: 12.4,
  rowsWritten: 30,
  rowsRefused: 0,
  error: null,
  problems: [],
  providers: [],
};

it('describes each run in a line with period, status, duration and reason', () => {
  const refused: RecordedRun = {
    ...RUN,
    job: 'backfill',
    period: null,
    seconds: 185,
    rowsRefused: 2,
    problems: [{ kind: 'number', count: 2, first: ["bars.csv, line 2, column high: 'x' is not a number"] }],
  };
  const failed: RecordedRun = {
    ...RUN,
    source: null,
    status: 'failed',
    error: 'No provider\u001b responds.',
  };
  const running: RecordedRun = { ...RUN, status: 'running', seconds: null };
  expect(describeRuns([running, failed, refused]).split('\n')).toEqual([
    'started           job       source  period            status     duration   reason',
    '2026-11-20 21:00  collect   live    2026-11-20 21:00  running    -',
    '2026-11-20 21:00  collect   -       2026-11-20 21:00  failed     12 s       No provider? responds.',
    "2026-11-20 21:00  backfill  live    -                 succeeded  3 min 5 s  2 rows refused: bars.csv, line 2, column high: 'x' is not a number",
  ]);
});

it('says how to make the first run', () => {
  expect(describeRuns([])).toBe('No run of the collector is recorded yet. Run collect, or start the server.');
});
