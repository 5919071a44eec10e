import { expect, it } from 'vitest';
import type { RunReport } from '#collector/runs.ts';
import { describeRun } from './run-report.ts';

const run: RunReport = {
  job: 'backfill',
  source: 'csv',
  firstSession: '2013-02-08',
  lastSession: '2018-02-07',
  rowsWritten: 23_921,
  rowsRefused: 0,
  refusals: [],
  notes: [],
};

it('says what a run did in a line', () => {
  expect(describeRun(run)).toBe('backfill from csv: sessions 2013-02-08 to 2018-02-07, 23,921 rows written.');
  expect(describeRun({ ...run, firstSession: '2018-02-07', rowsWritten: 1 })).toBe(
    'backfill from csv: session 2018-02-07, 1 row written.',
  );
});

it('names what was refused and noticed, and counts what it does not name', () => {
  const refusals = [
    { kind: 'number', count: 3, first: ["bars.csv, line 2, column high: 'x' is not a number"] },
  ] as const;
  const notes = [{ kind: 'one-day move', count: 1, first: ['NI moved −61 % on 2015-07-02'] }] as const;
  expect(
    describeRun({ ...run, rowsRefused: 3, refusals, notes })
      .split('\n')
      .slice(1),
  ).toEqual([
    "  bars.csv, line 2, column high: 'x' is not a number",
    '  and 2 more',
    'Noticed:',
    '  NI moved −61 % on 2015-07-02',
  ]);
});
