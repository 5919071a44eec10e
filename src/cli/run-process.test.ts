import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Progress } from '#collector/progress.ts';
import type { Job } from '#collector/runs.ts';
import type { Database } from '#database/port.ts';
import { LeaseHeld } from '#server/jobs/lease.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import type { RunTask, RunWatch } from './run-job.ts';
import { type ChosenSource, performInProcess } from './run-process.ts';

const PROGRAM = join(ROOT, 'dist', 'server', 'collect-process.js');
const ASKED: RunTask = { kind: 'asked', job: 'backfill' };

const work = mkdtempSync(join(tmpdir(), 'barometer-run-process-'));
const market = marketFolder(smallMarket('2024-11-01', '2024-11-15'));
let embedded: EmbeddedForTest;
let database: Database;

beforeAll(async () => {
  embedded = await embeddedForTest();
  database = embedded.database;
});
afterAll(async () => {
  await embedded.remove();
  market.remove();
  rmSync(work, { recursive: true, force: true });
});

const chosen = (): ChosenSource => ({
  word: 'csv',
  flags: { source: 'csv', dir: market.dir },
  knownGaps: new Map(),
});

/** A program that does `what` as soon as it has its order, in place of the collector's. */
function program(name: string, what: string): string {
  const path = join(work, `${name}.mjs`);
  writeFileSync(path, `process.once('message', ({ run }) => { ${what} });\n`);
  return path;
}

/** Somebody who watches a run, and can stop it. */
function watcher() {
  const stopping = new AbortController();
  const heard = { progress: [] as Progress[], jobs: [] as Job[], requests: 0 };
  const watch: RunWatch = {
    signal: stopping.signal,
    report: (progress) => heard.progress.push(progress),
    onJob: (job) => heard.jobs.push(job),
    onCalls: (calls) => {
      heard.requests = calls.reduce((sum, { requests }) => sum + requests, 0);
    },
  };
  return { heard, watch, stop: () => stopping.abort(new Error('It was stopped.')) };
}

const run = (
  path: string,
  { watch } = watcher(),
  source = chosen(),
  limits: { mostMemoryMb?: number; stopPatienceMs?: number } = {},
) => performInProcess({ database, program: path, by: 'serve', ...limits })(ASKED, source, watch);

const jobRuns = () =>
  database.transaction((transaction) => transaction.query('select status, holder from operations.job_runs'));

describe('a run in a process of its own', () => {
  it('fills the database through this one, and answers its report', async () => {
    const { heard, ...watching } = watcher();
    const report = await run(PROGRAM, { heard, ...watching });
    expect(report).toMatchObject({ job: 'backfill', source: 'csv', lastSession: '2024-11-15' });
    expect(heard.progress.map(({ stage }) => stage)).toContain('publishing');
    const [rows] = await database.transaction((transaction) =>
      transaction.query('select count(*) as count from public.market_metrics'),
    );
    expect(rows).toEqual({ count: 11 });
    expect(await jobRuns()).toEqual([
      { status: 'succeeded', holder: expect.stringMatching(/^serve on .*, process \d+, /) },
    ]);
  });

  it('fails with the sentence of what went wrong', async () => {
    const nowhere = { ...chosen(), flags: { source: 'csv', dir: join(work, 'nowhere') } };
    await expect(run(PROGRAM, watcher(), nowhere)).rejects.toThrow(
      /nowhere does not exist; set MARKET_CSV_DIR/,
    );
  });

  it('passes on what it says, and keeps what was asked in vain for the next one', async () => {
    const path = program(
      'talking',
      `process.send({ kind: 'job', job: 'collect' });
       process.send({ kind: 'calls', calls: [{ requests: 3 }] });
       run.knownGaps.set('AAA', run.flags.source);
       process.send({ kind: 'done', report: null, knownGaps: run.knownGaps });`,
    );
    const { heard, ...watching } = watcher();
    const source = chosen();
    expect(await run(path, { heard, ...watching }, source)).toBeNull();
    expect(heard).toMatchObject({ jobs: ['collect'], requests: 3 });
    expect(source.knownGaps).toEqual(new Map([['AAA', 'csv']]));
  });

  it('knows what it collects with, and no secret besides', async () => {
    const names = ['ALPACA_SECRET_KEY', 'DATABASE_URL', 'SMTP_URL', 'METRICS_TOKEN', 'PGPASSWORD'];
    for (const name of names) vi.stubEnv(name, 'secret');
    const path = program(
      'telling',
      `const known = ${JSON.stringify(names)}.filter((name) => process.env[name] === 'secret');
       process.send({ kind: 'failed', error: { kind: 'other', name: 'Error', message: String(known) }, knownGaps: run.knownGaps });`,
    );
    const told = expect(run(path)).rejects.toThrow(/^ALPACA_SECRET_KEY$/);
    vi.unstubAllEnvs();
    await told;
  });

  it('is refused as it was refused where another is at it', async () => {
    const held = { name: 'collector', holder: 'another', since: 'noon' };
    const error = JSON.stringify({ kind: 'held', held });
    const path = program(
      'held',
      `process.send({ kind: 'failed', error: ${error}, knownGaps: run.knownGaps });`,
    );
    const refused = run(path);
    await expect(refused).rejects.toThrow(LeaseHeld);
    await expect(refused).rejects.toThrow('The collector is at work already: another, since noon.');
  });
});

describe('a run whose process dies', () => {
  it.each([
    ['exits', 'process.exit(3)', 'The run broke off: its process ended with code 3.'],
    ['killed', "process.kill(process.pid, 'SIGKILL')", 'The run broke off: its process ended by SIGKILL.'],
    [
      'fills',
      'const all = []; for (;;) all.push({});',
      'The run broke off: its process took more than the 16 MB of memory that it may take.',
    ],
  ])('%s fails in one sentence', async (name, what, sentence) => {
    await expect(run(program(name, what), watcher(), chosen(), { mostMemoryMb: 16 })).rejects.toThrow(
      sentence,
    );
  });

  it('fails where there is no such program', async () => {
    await expect(run(join(work, 'missing.mjs'))).rejects.toThrow('ended with code 1');
  });

  it('leaves nothing of a transaction it had open, and the database to others', async () => {
    const path = program(
      'halfway',
      `const ask = (call, ask) => process.send({ database: { call, transaction: 1, ask } });
       process.on('message', ({ database }) => { if (database.call === 2) process.exit(1); });
       ask(1, { kind: 'begin', options: {} });
       ask(2, { kind: 'script', sql: 'create table left_over (id int)' });`,
    );
    await expect(run(path)).rejects.toThrow('ended with code 1');
    const [left] = await database.transaction((transaction) =>
      transaction.query("select to_regclass('left_over') as left"),
    );
    expect(left).toEqual({ left: null });
  });
});

describe('a run that is told to end', () => {
  it('ends with the reason, and leaves its claim as a killed one does', async () => {
    const { watch, stop, heard } = watcher();
    const stopped = performInProcess({ database, program: PROGRAM, by: 'serve' })(
      { kind: 'due', period: Date.parse('2024-11-18T15:00:00Z'), again: true },
      chosen(),
      { ...watch, onJob: stop },
    );
    await expect(stopped).rejects.toThrow('It was stopped.');
    expect(heard.progress.map(({ stage }) => stage)).not.toContain('publishing');
    expect(await jobRuns()).toContainEqual(expect.objectContaining({ status: 'running' }));
  });

  it('is ended where it does not end by itself', async () => {
    const path = program('busy', "process.send({ kind: 'job', job: 'collect' }, () => { for (;;); });");
    const { watch, stop } = watcher();
    const stopped = run(path, { ...watcher(), watch: { ...watch, onJob: stop } }, chosen(), {
      stopPatienceMs: 1,
    });
    await expect(stopped).rejects.toThrow('It was stopped.');
  });

  it('keeps the lease from nobody where it had to be ended', async () => {
    const path = program(
      'holding',
      `const ask = (call, ask) => process.send({ database: { call, transaction: 1, ask } });
       const sql = "insert into operations.leases (name, holder, taken_at, held_until) " +
         "values ('collector', $1, now(), now() + interval '1 minute')";
       process.on('message', ({ database }) => {
         if (database.call === 1) ask(2, { kind: 'query', sql, parameters: [run.holder] });
         else if (database.call === 2) ask(3, { kind: 'commit' });
         else process.send({ kind: 'job', job: 'collect' }, () => { for (;;); });
       });
       ask(1, { kind: 'begin', options: {} });`,
    );
    const { watch, stop } = watcher();
    const leases = () =>
      database.transaction((transaction) => transaction.query('select holder from operations.leases'));
    const held: unknown[] = [];
    const onJob = () =>
      leases()
        .then((rows) => held.push(...rows))
        .finally(stop);
    const watching = { ...watcher(), watch: { ...watch, onJob: () => void onJob() } };
    await expect(run(path, watching, chosen(), { stopPatienceMs: 1 })).rejects.toThrow('It was stopped.');
    expect(held).toEqual([{ holder: expect.stringMatching(/^serve on .*, process \d+, /) }]);
    expect(await leases()).toEqual([]);
  });

  it('does not begin when it is told before', async () => {
    const { watch, stop, heard } = watcher();
    stop();
    await expect(run(PROGRAM, { heard, stop, watch })).rejects.toThrow('It was stopped.');
  });
});
