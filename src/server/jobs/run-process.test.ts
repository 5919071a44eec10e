import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Progress } from '#collector/progress.ts';
import type { Job } from '#collector/runs.ts';
import type { Database } from '#database/port.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { PROGRAM } from '#tests/support/product.ts';
import { performInProcess, type RunWatch } from './run-process.ts';

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

/** A program that runs `what` in place of the collector. */
function program(name: string, what: string): string {
  const path = join(work, `${name}.mjs`);
  writeFileSync(path, `${what}\n`);
  return path;
}

/** An observer of a run, which can stop it. */
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
  watch: RunWatch = watcher().watch,
  limits: { mostMemoryMb?: number; stoppedInMs?: number } = {},
) => performInProcess({ database, program: path, parameters: [], ...limits })(watch);

/** Runs `collect --due` of the product over the database of this test. */
async function runProduct(dir: string, watch: RunWatch) {
  vi.stubEnv('BAROMETER_DATA_DIR', join(embedded.folder, '..'));
  const parameters = ['collect', '--due', '--source', 'csv', '--dir', dir];
  const running = performInProcess({ database, program: PROGRAM, parameters })(watch);
  vi.unstubAllEnvs();
  return running;
}

const jobRuns = () =>
  database.transaction((transaction) => transaction.query('select status, holder from operations.job_runs'));
const leases = () =>
  database.transaction((transaction) => transaction.query('select holder from operations.leases'));

describe('a run in a process of its own', () => {
  it('leaves its claim, but no lease, if it is stopped', async () => {
    const { watch, stop, heard } = watcher();
    const stopped = runProduct(market.dir, { ...watch, onJob: stop });
    await expect(stopped).rejects.toThrow('It was stopped.');
    expect(heard.progress.map(({ stage }) => stage)).not.toContain('publishing');
    expect(await jobRuns()).toEqual([{ status: 'running', holder: expect.any(String) }]);
    expect(await leases()).toEqual([]);
  });

  it('fills the database that this process has open, and returns its report', async () => {
    const { heard, watch } = watcher();
    const report = await runProduct(market.dir, watch);
    expect(report).toMatchObject({ job: 'backfill', source: 'csv', lastSession: '2024-11-15' });
    expect(heard.jobs).toEqual(['backfill']);
    expect(heard.progress.map(({ stage }) => stage)).toContain('publishing');
    const [rows] = await database.transaction((transaction) =>
      transaction.query('select count(*) as count from public.market_metrics'),
    );
    expect(rows).toEqual({ count: 11 });
    expect(await jobRuns()).toEqual([
      { status: 'succeeded', holder: expect.stringMatching(/^collect --due on .*, process \d+, /) },
    ]);
  });

  it('fails with the sentence of its fault', async () => {
    await expect(runProduct(join(work, 'nowhere'), watcher().watch)).rejects.toThrow(
      /nowhere does not exist; set MARKET_CSV_DIR/,
    );
  });

  it('passes on its messages', async () => {
    const path = program(
      'talking',
      `process.send({ kind: 'job', job: 'collect' });
       process.send({ kind: 'calls', calls: [{ requests: 3 }] });
       process.send({ kind: 'done', report: null });`,
    );
    const { heard, watch } = watcher();
    expect(await run(path, watch)).toBeNull();
    expect(heard).toMatchObject({ jobs: ['collect'], requests: 3 });
  });

  it('gets the secrets that it needs, and no others', async () => {
    const names = ['ALPACA_SECRET_KEY', 'DATABASE_URL', 'SMTP_URL', 'METRICS_TOKEN'];
    for (const name of names) vi.stubEnv(name, 'secret');
    const path = program(
      'telling',
      `const known = ${JSON.stringify(names)}.filter((name) => process.env[name] === 'secret');
       process.send({ kind: 'failed', failure: 'fault', reason: String(known) });`,
    );
    const told = expect(run(path)).rejects.toThrow(/^ALPACA_SECRET_KEY,DATABASE_URL$/);
    vi.unstubAllEnvs();
    await told;
  });

  it('says why it failed', async () => {
    const reason = 'The collector is at work already: another, since noon.';
    const path = program(
      'held',
      `process.send({ kind: 'failed', failure: 'held', reason: ${JSON.stringify(reason)} });`,
    );
    await expect(run(path)).rejects.toMatchObject({ failure: 'held', message: reason });
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
    await expect(run(program(name, what), watcher().watch, { mostMemoryMb: 16 })).rejects.toThrow(sentence);
  });

  it('fails if there is no such program', async () => {
    await expect(run(join(work, 'missing.mjs'))).rejects.toThrow('ended with code 1');
  });
});

describe('a run that is told to stop', () => {
  it('is killed if it does not stop by itself', async () => {
    const path = program('busy', "process.send({ kind: 'job', job: 'collect' }, () => { for (;;); });");
    const { watch, stop } = watcher();
    const stopped = run(path, { ...watch, onJob: stop }, { stoppedInMs: 1 });
    await expect(stopped).rejects.toThrow('It was stopped.');
  });

  it('leaves no lease when it had to be killed', async () => {
    const path = program(
      'holding',
      `process.on('SIGTERM', () => undefined);
       process.send({ kind: 'holder', holder: 'a run' });
       process.send({ kind: 'job', job: 'collect' });
       setInterval(() => undefined, 1_000);`,
    );
    await database.transaction((transaction) =>
      transaction.query(
        `insert into operations.leases (name, holder, taken_at, held_until)
         values ('collector', 'a run', now(), now() + interval '1 minute')`,
      ),
    );
    const { watch, stop } = watcher();
    const stopped = run(path, { ...watch, onJob: stop }, { stoppedInMs: 1 });
    await expect(stopped).rejects.toThrow('It was stopped.');
    expect(await leases()).toEqual([]);
  });

  it('does not start if it is told before', async () => {
    const { watch, stop } = watcher();
    stop();
    await expect(run(join(work, 'missing.mjs'), watch)).rejects.toThrow('It was stopped.');
  });
});
