import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchCollector } from './collector.ts';
import { benchDay } from './day.ts';
import { benchDemoRanges } from './demo-ranges.ts';
import { writeDocs } from './docs.ts';
import { benchDurability } from './durability.ts';
import { benchEndurance } from './endurance.ts';
import { benchFearGreed } from './fear-greed.ts';
import { type Figure, isMet } from './figure.ts';
import { benchGrades } from './grades.ts';
import { benchKills } from './kills.ts';
import { benchList } from './list.ts';
import { benchLive } from './live.ts';
import { benchLoad } from './load.ts';
import { benchMail } from './mail.ts';
import { benchMutate } from './mutate.ts';
import { benchPage } from './page.ts';
import { benchProcesses } from './processes.ts';
import { benchReads } from './reads.ts';
import { benchRender } from './render.ts';
import { keepResult } from './results.ts';
import { benchStart } from './start.ts';
import { textTable } from './table.ts';
import { benchYear } from './year.ts';

interface Bench {
  readonly says: string;
  /** Folder of real market data, for benchmarks that need it. */
  readonly run: (data: string) => Promise<readonly Figure[]>;
  readonly readsData?: true;
}

const BENCHES: Readonly<Record<string, Bench>> = {
  page: {
    says: 'the page in a browser, rendered by our server, by the browser, and as a static build',
    run: benchPage,
  },
  load: { says: 'a minute of 2,000 requests a second while runs commit every second', run: benchLoad },
  reads: { says: 'requests a second beside real PostgREST over real Postgres', run: benchReads },
  endurance: {
    says: 'memory over five million requests, and a thousand idle connections',
    run: benchEndurance,
  },
  mutate: {
    says: 'five minutes of mutated requests while visitors read: stalls of the event loop, failed requests',
    run: benchMutate,
  },
  collector: {
    says: 'a run of the collector over five years of an index',
    run: benchCollector,
    readsData: true,
  },
  'fear-greed': { says: 'our indicators against published ones', run: benchFearGreed, readsData: true },
  grades: {
    says: 'grades of the weekly signal over real closes, against a second implementation',
    run: benchGrades,
    readsData: true,
  },
  'demo-ranges': {
    says: 'the ranges of real years that the simulated market is held to',
    run: benchDemoRanges,
    readsData: true,
  },
  render: {
    says: 'drawing a year of hours, and every press until the next paint, on a machine four times slower',
    run: benchRender,
  },
  start: { says: 'from nothing to a full page', run: benchStart },
  day: { says: 'what the server takes over a day of hourly runs, and how its visitors fare', run: benchDay },
  live: { says: 'what live runs ask and take, against stand-ins of the providers', run: benchLive },
  mail: { says: '10,000 mails while one of two senders is killed five times', run: benchMail },
  list: { says: 'an issue to a million subscribers, as rows', run: benchList },
  kills: { says: 'that killing live runs does no harm', run: benchKills },
  processes: {
    says: 'five minutes of three servers over one Postgres, all of them killed and restarted meanwhile',
    run: benchProcesses,
  },
  durability: { says: 'that killing what writes loses nothing it had confirmed', run: benchDurability },
  year: { says: 'what a year of hourly runs leaves', run: benchYear },
};
const NAMES = Object.keys(BENCHES);

const HELP = `npm run bench                every bench, each in a process of its own
npm run bench -- name …      these
npm run bench -- --docs      writes the figures that are in bench/results into docs/performance.md

${NAMES.map((name) => `  ${name.padEnd(12)} ${BENCHES[name]?.says}`).join('\n')}

Figures go to bench/results/<name>.json. The exit code is 1 where a bound is not met. A bench that reads real market data
takes it from the folder that BAROMETER_BENCH_DATA names, else from ../shared/data. BAROMETER_BENCH_SECONDS shortens mutate.`;

/** The exit code of a process that was stopped by a signal. */
const STOPPED = 130;

const BESIDE = join('..', 'shared', 'data');

/** The folder of real market data; undefined without one. */
function marketData(): string | undefined {
  const named = process.env.BAROMETER_BENCH_DATA;
  if (named) return named;
  return existsSync(BESIDE) ? BESIDE : undefined;
}

/** Runs one benchmark in this process; returns true if it ran and met all its bounds. */
async function runHere(name: string, { run, readsData }: Bench): Promise<boolean> {
  const data = marketData();
  if (readsData && data === undefined) {
    console.log(
      `\n${name} is left out: it reads real market data; set BAROMETER_BENCH_DATA to a folder with it.`,
    );
    return false;
  }
  console.log(`\n${name}`);
  const figures = await run(data ?? '');
  console.log(textTable(figures));
  keepResult(name, figures, Date.now());
  return figures.every(isMet);
}

/** Runs each benchmark in its own process, so that none has the memory or compiled code of another. */
async function runEach(names: readonly string[]): Promise<boolean> {
  const failed: string[] = [];
  for (const name of names) {
    const code = await runApart(name);
    if (code === STOPPED) return false;
    const isLeftOut = BENCHES[name]?.readsData === true && marketData() === undefined;
    if (code !== 0 && !isLeftOut) failed.push(name);
  }
  console.log(failed.length === 0 ? '\nEvery bound is met.' : `\nNot met, or failed: ${failed.join(', ')}.`);
  return failed.length === 0;
}

/** Runs one benchmark in its own process with the same options and returns its exit code. */
async function runApart(name: string): Promise<number> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', name], { stdio: 'inherit' });
  let isStopped = false;
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    child.kill(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? 1)));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return isStopped ? STOPPED : code;
}

async function main(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.find((name) => !NAMES.includes(name) && name !== '--docs' && name !== '--help');
  if (unknown !== undefined) {
    console.error(`"${unknown}" is no bench; there are ${NAMES.join(', ')}.`);
    return 2;
  }
  if (wanted.includes('--help')) {
    console.log(HELP);
    return 0;
  }
  const names = wanted.filter((name) => name !== '--docs');
  const [name = ''] = names;
  const only = names.length === 1 ? BENCHES[name] : undefined;
  let isGood = true;
  if (only !== undefined) isGood = await runHere(name, only);
  else if (names.length > 0 || wanted.length === 0) isGood = await runEach(names.length > 0 ? names : NAMES);
  if (wanted.includes('--docs')) console.log(writeDocs(NAMES));
  return isGood ? 0 : 1;
}

const code = await main(process.argv.slice(2));
// A benchmark may have set the exit code itself.
process.exitCode = code === 0 ? (process.exitCode ?? 0) : code;
