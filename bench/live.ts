import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readUniverse } from '#collector/csv/market-files.ts';
import { createProblems } from '#collector/problems.ts';
import { REQUEST_INTERVALS } from '#collector/providers/http-client.ts';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Member } from '#domain/market-history.ts';
import type { Fault } from '#tests/support/providers/faults.ts';
import { startProviderStubs } from '#tests/support/providers/stubs.ts';
import { temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import type { LiveRunFigures, LiveRunSettings } from './live-run.ts';

interface Run {
  name: string;
  job: LiveRunSettings['job'];
  now: string;
  alpaca?: Fault;
}

/** A backfill on Thursday evening, and the runs of Friday. */
const RUNS: readonly Run[] = [
  { name: 'first fill', job: 'backfill', now: '2026-11-20T01:00:00Z' },
  { name: 'hourly run', job: 'collect', now: '2026-11-20T17:00:00Z' },
  { name: 'hourly run without Alpaca', job: 'collect', now: '2026-11-20T18:00:00Z', alpaca: '503' },
  { name: 'closing run', job: 'collect', now: '2026-11-20T21:30:00Z' },
];

/** The universe that is part of the product. */
export function benchMembers(): Promise<Member[]> {
  return readUniverse(join('src', 'collector', 'universe', 'sp500.csv'), createProblems());
}

/** Times live runs against stub providers over real HTTP, each in its own process; waits take no time. */
export function benchLive(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const parent = temporaryFolder(atEnd);
    const members = await benchMembers();
    let now = 0;
    const stubs = await startProviderStubs({ members, now: () => now });
    atEnd(stubs.close);
    const folder = join(parent, 'database');
    // Creates the database first, so that the runs exclude it.
    await (await openEmbedded({ folder, migrationsFolder: join('supabase', 'migrations') })).close();
    const figures: Figure[] = [{ what: 'symbols', value: members.length, unit: '' }];
    for (const run of RUNS) {
      now = Date.parse(run.now);
      stubs.reset();
      if (run.alpaca !== undefined) stubs.fault('alpaca', run.alpaca);
      const settings = { folder, members, urls: stubs.urls, job: run.job, now };
      figures.push(...figuresOf(run, await liveRun(join(parent, 'run.json'), settings)));
    }
    return figures;
  });
}

/** Executes a run in a child process. `file` is where its settings are written. */
async function liveRun(file: string, settings: LiveRunSettings): Promise<LiveRunFigures> {
  writeFileSync(file, JSON.stringify(settings));
  const program = fileURLToPath(new URL('./live-run.js', import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error('The live run failed. The lines above have its error.');
  return JSON.parse(output) as LiveRunFigures;
}

function figuresOf(
  { name, job }: Run,
  { seconds, peak, rowsWritten, calls, notes }: LiveRunFigures,
): Figure[] {
  for (const note of notes) console.log(`  ${name}: ${note}`);
  const paced = calls.map(({ provider, requests }) => (requests * REQUEST_INTERVALS[provider]) / 1000);
  // A backfill sends requests to one provider at a time, a run to all at once.
  const pacing = job === 'backfill' ? paced.reduce((sum, each) => sum + each, 0) : Math.max(...paced);
  return [
    ...calls.map(({ provider, requests }) => ({
      what: `${name}: requests to ${provider}`,
      value: requests,
      unit: '',
    })),
    {
      what: `${name}: received`,
      value: calls.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
      unit: 'MB',
    },
    { what: `${name}: rows written`, value: rowsWritten, unit: '' },
    { what: `${name}: seconds of work`, value: seconds, unit: 's' },
    { what: `${name}: with the rate limits kept, about`, value: seconds + pacing, unit: 's' },
    { what: `${name}: peak memory, database included`, value: peak / 1e6, unit: 'MB' },
  ];
}
