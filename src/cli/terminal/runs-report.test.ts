import { expect, it } from 'vitest';
import type { RecordedRun, RunReport } from '#collector/runs/runs.ts';
import { describeRun, describeRuns } from './runs-report.ts';

const run: RunReport = {
  job: 'backfill',
  source: 'csv',
  firstSession: '2013-02-08',
  lastSession: '2018-02-07',
  rowsWritten: 23_921,
  rowsRefused: 0,
  refusals: [],
  notes: [],
  providers: [],
  origins: [],
};

it('describes a run in one line', () => {
  expect(describeRun(run)).toBe('backfill from csv: sessions 2013-02-08 to 2018-02-07, 23,921 rows written.');
  expect(describeRun({ ...run, firstSession: '2018-02-07', rowsWritten: 1 })).toBe(
    'backfill from csv: session 2018-02-07, 1 row written.',
  );
});

it('lists the first refused rows and the number of further rows', () => {
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
    'Notes:',
    '  NI moved −61 % on 2015-07-02',
  ]);
});

it('lists requests, failures and missing inputs of a live run', () => {
  const origin = (
    input: 'bars' | 'vix_close' | 'nyse_advances' | 'nyse_declines',
    session: string | null,
  ) => ({
    input,
    provider: null,
    session,
    observedAt: null,
    fetchedAt: null,
  });
  const text = describeRun({
    ...run,
    job: 'collect',
    source: 'live',
    providers: [
      { provider: 'alpaca', requests: 28, retries: 2, bytes: 1, failures: { timeout: 1, 'server error': 2 } },
      { provider: 'wsj', requests: 1, retries: 0, bytes: 1, failures: {} },
    ],
    origins: [origin('bars', '2026-11-20'), origin('nyse_advances', null), origin('nyse_declines', null)],
    notes: [{ kind: 'missing symbol', count: 1, first: ['No provider has bars of XYZ.'] }],
  });
  expect(text.split('\n').slice(1)).toEqual([
    '  requests: Alpaca 28 times, The Wall Street Journal once',
    '  Alpaca: 3 of 28 requests failed (1 timeout, 2 server error)',
    '  Without NYSE counts (advances, declines)',
    'Notes:',
    '  No provider has bars of XYZ.',
  ]);
});

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
  const failed: RecordedRun = { ...RUN, status: 'failed', error: 'No provider\u001b responds.' };
  const running: RecordedRun = { ...RUN, status: 'running', seconds: null };
  expect(describeRuns([running, failed, refused]).split('\n')).toEqual([
    'started           job       source  period            status     duration   reason',
    '2026-11-20 21:00  collect   live    2026-11-20 21:00  running    -',
    '2026-11-20 21:00  collect   live    2026-11-20 21:00  failed     12 s       No provider? responds.',
    "2026-11-20 21:00  backfill  live    -                 succeeded  3 min 5 s  2 rows refused: bars.csv, line 2, column high: 'x' is not a number",
  ]);
});

it('says how to make the first run', () => {
  expect(describeRuns([])).toBe('No run of the collector is recorded yet. Run collect, or start the server.');
});
