import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { emptyCollected } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { servingProcess } from '#tests/support/serving-process.ts';
import { type SmallSource, smallSource } from '#tests/support/small-source.ts';
import { exposition } from '../metrics/exposition.ts';
import { withLease } from './lease.ts';
import { runNow } from './run-job.ts';

const MINUTE = 60_000;
/** Friday 13 November 2026, 14:05 in New York. The period of 14:00 is due. */
const BEGAN = Date.parse('2026-11-13T19:05:00Z');
const { database, run } = databaseOfTheseTests();

beforeAll(async () => {
  await acceptAnyTime(database);
});
afterEach(() => emptyCollected(database));

/** Creates a serving process that started at `BEGAN`. The test changes its clock. */
function startProcess({
  source = smallSource(),
  mustRun = false,
  at = BEGAN,
}: {
  source?: SmallSource;
  mustRun?: boolean;
  at?: number;
} = {}) {
  const time = { now: at };
  const process = servingProcess(database, source, { now: () => time.now, mustRun });
  const tick = (minutes = 0) => {
    time.now += minutes * MINUTE;
    return process.tick();
  };
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) await tick(1);
  };
  /** Stops the process during its next run. */
  const stopDuringRun = (reason: string) => {
    source.meanwhile = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        setImmediate(() => process.stop(new Error(reason)));
      });
  };
  return { ...process, source, tick, pass, time, stopDuringRun };
}

/** The status of the runs of each period, in their order. */
const runsOfPeriods = () =>
  run(
    'select period, array_agg(status order by id)::text as runs from collector.runs group by period order by period',
  );

describe('the schedule', () => {
  it('runs the newest period at the start and each later period once', async () => {
    const { tick, source, lines } = startProcess();
    for (let minute = 0; minute < 180; minute += 5) await tick(5);
    const periods = ['19:00', '20:00', '21:30'].map((time) => `2026-11-13T${time}:00.000Z`);
    expect(lines).toMatchObject(
      periods.map((period, at) => ({ event: 'job done', job: at === 0 ? 'backfill' : 'collect', period })),
    );
    expect(source.readAt).toHaveLength(3);
    expect(lines[2]).toMatchObject({ source: 'live', session: '2026-11-13', rowsRefused: 0, ms: 0 });
    expect(await runsOfPeriods()).toEqual(periods.map((period) => ({ period, runs: '{succeeded}' })));
  });

  it('runs no period twice after a restart, except to read a folder again', async () => {
    await startProcess().tick();
    const again = startProcess({ at: BEGAN + 20 * MINUTE });
    await again.tick();
    expect(again.source.readAt).toEqual([]);
    const folder = startProcess({ source: smallSource('csv'), mustRun: true });
    await folder.tick();
    await folder.tick(1);
    expect(folder.source.readAt).toHaveLength(1);
  });

  it('runs only the newest of the periods that passed while no process ran', async () => {
    await startProcess().tick();
    const later = startProcess({ at: Date.parse('2026-11-18T16:10:00Z') });
    await later.tick();
    await later.tick(5);
    expect(later.lines.map(({ event, period }) => [event, period])).toEqual([
      ['job done', '2026-11-18T16:00:00.000Z'],
    ]);
  });

  it('repeats a run at the next check after the database was unavailable', async () => {
    const { tick, source, lines } = startProcess();
    source.meanwhile = async () => {
      source.meanwhile = async () => undefined;
      throw new DatabaseUnavailable('unreachable', 'The connection to the database was lost. Try again.');
    };
    await tick();
    await tick(1);
    expect(lines.map(({ event }) => event)).toEqual(['job failed', 'job done']);
    expect(await runsOfPeriods()).toMatchObject([{ runs: '{stopped,succeeded}' }]);
  });

  it('retries ten minutes after a failure of any process', async () => {
    const { tick, source, lines, time } = startProcess();
    source.failure = 'The source is away.';
    await tick();
    await tick(9);
    const other = startProcess({ at: BEGAN - MINUTE });
    other.time.now = time.now;
    await other.tick();
    expect([source.readAt.length, other.source.readAt.length]).toEqual([1, 0]);
    await tick(1);
    expect(source.readAt).toHaveLength(2);
    expect(lines.map(({ level, event, reason }) => [level, event, reason])).toEqual(
      Array(2).fill(['error', 'job failed', 'The source is away.']),
    );
    const restarted = startProcess({ at: time.now + MINUTE });
    await restarted.tick();
    expect(restarted.lines.map(({ event }) => event)).toEqual(['job done']);
    expect(await runsOfPeriods()).toMatchObject([{ runs: '{failed,failed,succeeded}' }]);
  });

  it('runs a finished period again if the database shows no rows of the source', async () => {
    await startProcess({ source: smallSource('simulated') }).tick();
    const { tick, source, lines } = startProcess({ mustRun: true });
    source.failure = 'The source is away.';
    await tick();
    source.failure = null;
    await tick(9);
    await tick(1);
    await tick(1);
    expect(lines.map(({ event, job }) => [event, job])).toEqual([
      ['job failed', 'backfill'],
      ['job done', 'backfill'],
    ]);
  });

  it('warns once of two missed periods in a row', async () => {
    const { collecting, tick, pass, source, lines } = startProcess();
    source.failure = 'The source is away.';
    const warnings = () => lines.filter(({ level }) => level === 'warn');
    await tick();
    await pass(84);
    expect([collecting.missed(), warnings().length]).toEqual([1, 0]);
    await pass(120);
    expect(collecting.missed()).toBe(3);
    expect(warnings()).toMatchObject([{ event: 'periods missed', count: 2 }]);
    source.failure = null;
    await pass(10);
    expect(collecting.missed()).toBe(0);
  });

  it('does not run a replay', async () => {
    const { tick, collecting, source } = startProcess({ source: smallSource('replay') });
    await tick();
    expect(source.readAt).toEqual([]);
    await runNow('backfill', { database, source, now: () => BEGAN });
    const reads = source.readAt.length;
    await tick(60 * 24 * 7);
    expect([collecting.missed(), source.readAt.length]).toEqual([0, reads]);
  });
});

describe('rows that are later than the clock', () => {
  const FUTURE = Date.now() + 90 * MINUTE;
  const FAULT = `The newest rows are dated ${new Date(FUTURE).toISOString()}, later than the clock (`;
  const addFutureRow = () =>
    run(`insert into public.market_metrics (source, created_at) values ('live', $1)`, [
      new Date(FUTURE).toISOString(),
    ]);
  const state = async () => [
    await run('select created_at from public.market_metrics order by created_at'),
    await run(
      `select (select count(*) from archive.publications) as publications,
         (select count(*) from archive.ledger_entries) as entries, (select count(*) from collector.runs) as runs`,
    ),
  ];
  const newestEntry = () => run('select created_at from archive.ledger_entries order by index desc limit 1');

  it('stop scheduled runs, which change nothing, until the clock is corrected [R23]', async () => {
    const { tick, source, lines } = startProcess({ at: Date.now(), mustRun: true });
    await addFutureRow();
    const before = await state();
    await tick();
    expect(lines).toMatchObject([{ event: 'job failed', reason: expect.stringContaining(FAULT) }]);
    expect(source.readAt).toEqual([]);
    expect(await state()).toEqual(before);
    await tick(50);
    expect(lines[1]).toMatchObject({ event: 'job done' });
    expect((await state())[0]).toEqual(expect.arrayContaining(before[0] ?? []));
  });

  it('are removed by a command of the operator, after which scheduled runs go on [R23]', async () => {
    const options = { database, source: smallSource(), now: () => Date.now() };
    const byHand = (removesFuture: boolean) => runNow('collect', { ...options, removesFuture });
    await byHand(false);
    const [before] = await state();
    await addFutureRow();
    await run(
      `insert into archive.ledger_entries (index, kind, row_id, entry, created_at)
       select count(*), 'event', 999, '{}', $1 from archive.ledger_entries`,
      [new Date(FUTURE).toISOString()],
    );
    await expect(byHand(false)).rejects.toThrow(FAULT);
    await byHand(true);
    expect((await state())[0]).toEqual(before);
    // The run has added an entry even though the rows of the newest close are equal.
    expect(await newestEntry()).not.toEqual([{ created_at: new Date(FUTURE).toISOString() }]);
    await byHand(false);
  });
});

describe('a run by a command', () => {
  const byHand = (source: SmallSource) => runNow('collect', { database, source, now: () => BEGAN });

  it('completes the current period', async () => {
    const { tick, source } = startProcess();
    await byHand(source);
    await tick();
    expect(source.readAt).toHaveLength(1);
    await tick(60);
    expect(source.readAt).toHaveLength(2);
  });

  it('does not complete the current period if it fails', async () => {
    const { tick, source } = startProcess();
    source.failure = 'The source is away.';
    await expect(byHand(source)).rejects.toThrow('The source is away.');
    source.failure = null;
    await tick();
    expect(source.readAt).toHaveLength(2);
  });
});

it('stops the current run when the process must end, and the next process repeats it', async () => {
  const { tick, lines, stopDuringRun } = startProcess();
  stopDuringRun('It was stopped.');
  await tick();
  expect(lines.map(({ level, event }) => [level, event])).toEqual([['info', 'job stopped']]);
  expect(await runsOfPeriods()).toMatchObject([{ runs: '{stopped}' }]);
  const next = startProcess({ at: BEGAN + MINUTE });
  await next.tick();
  expect(await runsOfPeriods()).toMatchObject([{ runs: '{stopped,succeeded}' }]);
});

it('waits ten minutes per attempt after three attempts whose process died', async () => {
  const asked: number[] = [];
  for (let minute = 0; minute < 24; minute += 1) {
    const { tick, source, lines, stopDuringRun } = startProcess({ at: BEGAN + minute * MINUTE });
    stopDuringRun('killed');
    await tick();
    if (source.readAt.length > 0) asked.push(minute);
    else expect(lines.map(({ level, event }) => [level, event])).toEqual([['warn', 'run postponed']]);
  }
  expect(asked).toEqual([0, 1, 2, 12, 22]);
});

it('counts runs by outcome and requests by provider', async () => {
  const failures = { timeout: 2, refused: 1 };
  const calls = [{ provider: 'yahoo' as const, requests: 7, retries: 2, bytes: 10, failures }];
  const source = { ...smallSource(), calls: () => calls };
  const { tick, metrics, lines } = startProcess({ source });
  await tick();
  expect(lines[0]).toMatchObject({ requests: 7, failures: 'yahoo: 2 timeout, 1 refused' });
  const text = exposition(metrics.families());
  expect(text).toContain('barometer_runs_total{job="backfill",outcome="succeeded"} 1\n');
  expect(text).toContain('barometer_provider_requests_total{provider="yahoo"} 7\n');
  expect(text).toContain('barometer_provider_failures_total{provider="yahoo",kind="timeout"} 2\n');
  expect(text).toMatch(/barometer_rows_written_total\{job="backfill"\} [1-9]/);
});

it('starts no process while another process holds the lease', async () => {
  let performed = 0;
  const perform = async () => {
    performed += 1;
    return { job: 'collect' as const, calls: [], report: null, failed: null };
  };
  const { tick } = servingProcess(database, smallSource(), { now: () => BEGAN, mustRun: true, perform });
  await withLease(database, { holder: 'another' }, async () => {
    await tick();
    expect(performed).toBe(0);
  });
  await tick();
  expect(performed).toBe(1);
});

it('fills an empty database at the next check after the lease of a killed process expired', async () => {
  const { tick, lines } = servingProcess(database, smallSource(), { now: () => BEGAN, mustRun: true });
  const leaseEnds = (when: string) =>
    run(
      `insert into operations.leases values ('collector', 'killed', now(), now() + interval '${when}')
         on conflict (name) do update set held_until = excluded.held_until`,
    );
  await leaseEnds('20 seconds');
  await tick();
  expect(lines).toEqual([]);
  await leaseEnds('-1 seconds');
  await tick();
  await tick();
  expect(lines.map(({ event, job }) => [event, job])).toEqual([['job done', 'backfill']]);
});
