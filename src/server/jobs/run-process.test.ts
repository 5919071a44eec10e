import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Progress } from '#collector/history/source.ts';
import { queryOnce } from '#database/port.ts';
import { embeddedFolderForTest } from '#tests/support/embedded.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { PROGRAM } from '#tests/support/product.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';
import { performInChildProcess } from './run-process.ts';

const work = folderForTests();
const market = marketFolder(smallMarket('2024-11-01', '2024-11-15'));
const embedded = shared(embeddedFolderForTest);

afterAll(() => market.remove());

/** Writes a program that runs in place of the collector. Returns its path. */
function program(name: string, source: string): string {
  const path = join(work, `${name}.mjs`);
  writeFileSync(path, `${source}\n`);
  return path;
}

const run = (path: string, limits: { maxMemoryMb?: number } = {}) =>
  performInChildProcess({ program: path, parameters: [], ...limits })({
    signal: new AbortController().signal,
  });

/**
 * Runs `collect --due` on the database of this test. `onStage` receives each stage of the run and a function that stops
 * the run.
 */
async function runProduct(dir: string, onStage: (stage: Progress['stage'], stop: () => void) => void) {
  const stopping = new AbortController();
  vi.stubEnv('BAROMETER_DATA_DIR', join(embedded.folder, '..'));
  const parameters = ['collect', '--due', '--source', 'csv', '--dir', dir];
  // On a busy machine a stopped run takes longer to release its lease.
  const running = performInChildProcess({ program: PROGRAM, parameters, stopWithinMs: 60_000 })({
    signal: stopping.signal,
    onProgress: ({ stage }) => onStage(stage, () => stopping.abort(new Error('It was stopped.'))),
  });
  vi.unstubAllEnvs();
  return running;
}

const runs = () => queryOnce(embedded.database, 'select status from collector.runs order by id');

describe('a run of the product in a child process', () => {
  it('releases its lease if it is stopped', async () => {
    const { failed } = await runProduct(market.dir, (_, stop) => stop());
    expect(failed).toMatchObject({ failure: 'stopped', message: 'It was stopped.' });
    expect(await runs()).toEqual([{ status: 'stopped' }]);
    expect(await queryOnce(embedded.database, 'select holder from operations.leases')).toEqual([]);
  });

  it('fills the database that this process has open', async () => {
    const stages: string[] = [];
    const { job, report } = await runProduct(market.dir, (stage) => stages.push(stage));
    expect(report).toMatchObject({ job: 'backfill', source: 'csv', lastSession: '2024-11-15' });
    expect(job).toBe('backfill');
    expect(stages).toContain('publishing');
    const rows = await queryOnce(embedded.database, 'select count(*) from public.market_metrics');
    expect(rows).toEqual([{ count: 11 }]);
    expect(await runs()).toEqual([{ status: 'stopped' }, { status: 'succeeded' }]);
  });

  it('fails with the message of its error', async () => {
    const { failed } = await runProduct(join(work, 'nowhere'), () => undefined);
    expect(failed?.message).toMatch(/nowhere does not exist\. Set MARKET_CSV_DIR/);
  });
});

describe('performInChildProcess', () => {
  it('returns the job and the requests of the messages, or null if no run was due', async () => {
    const path = program(
      'messages',
      `process.send({ kind: 'job', job: 'backfill' });
       process.send({ kind: 'calls', calls: [{ requests: 2 }] });
       process.send({ kind: 'calls', calls: [{ requests: 3 }] });
       process.send({ kind: 'done', report: null });`,
    );
    expect(await run(path)).toEqual({
      ...{ job: 'backfill', calls: [{ requests: 3 }], report: null, failed: null },
    });
  });

  it('passes no secret to a run that does not need it', async () => {
    const names = ['ALPACA_SECRET_KEY', 'DATABASE_URL', 'SMTP_URL', 'METRICS_TOKEN'];
    for (const name of names) vi.stubEnv(name, 'secret');
    const path = program(
      'secrets',
      `const known = ${JSON.stringify(names)}.filter((name) => process.env[name] === 'secret');
       process.send({ kind: 'failed', failure: 'error', reason: String(known) });`,
    );
    const running = run(path);
    vi.unstubAllEnvs();
    expect((await running).failed?.message).toBe('ALPACA_SECRET_KEY,DATABASE_URL');
  });

  it('returns the kind and the reason of a failure', async () => {
    const reason = 'The collector is already running: another, since noon.';
    const path = program(
      'busy',
      `process.send({ kind: 'failed', failure: 'busy', reason: ${JSON.stringify(reason)} });`,
    );
    expect((await run(path)).failed).toMatchObject({ failure: 'busy', message: reason });
  });

  it.each([
    ['exits', 'process.exit(3)', 'The process of the run ended with code 3.'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", 'The process of the run ended by SIGKILL.'],
    [
      'runs out of memory',
      'const all = []; for (;;) all.push({});',
      'The run exceeded its memory limit of 16 MB. The next run continues.',
    ],
  ])('returns a failure with the requests so far if the process %s', async (name, source, sentence) => {
    const calls = "process.send({ kind: 'calls', calls: [{ requests: 3 }] }";
    const result = await run(program(name, `${calls}, () => { ${source} });`), { maxMemoryMb: 16 });
    expect(result).toMatchObject({
      calls: [{ requests: 3 }],
      failed: { failure: 'error', message: sentence },
    });
  });

  it('returns a failure if the program is missing', async () => {
    expect((await run(join(work, 'missing.mjs'))).failed?.message).toContain('ended with code 1');
  });
});

describe('a run that must stop', () => {
  it('is killed if it does not stop by itself', async () => {
    const path = program(
      'computing',
      "process.send({ kind: 'progress', progress: {} }, () => { for (;;); });",
    );
    const stopping = new AbortController();
    const { failed } = await performInChildProcess({ program: path, parameters: [], stopWithinMs: 1 })({
      signal: stopping.signal,
      onProgress: () => stopping.abort(new Error('It was stopped.')),
    });
    expect(failed).toMatchObject({ failure: 'stopped', message: 'It was stopped.' });
  });

  it('does not start after the request to stop', async () => {
    const signal = AbortSignal.abort(new Error('It was stopped.'));
    const { failed } = await performInChildProcess({ program: join(work, 'missing.mjs'), parameters: [] })({
      signal,
    });
    expect(failed).toMatchObject({ failure: 'stopped', message: 'It was stopped.' });
  });
});
