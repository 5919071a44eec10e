import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { benchDay } from './day.ts';
import { benchDays } from './days.ts';
import { benchDemoRanges } from './demo-ranges.ts';
import { writeDocs } from './docs.ts';
import { benchFearGreed } from './fear-greed.ts';
import { type Figure, isMet } from './figure.ts';
import { benchImage } from './image.ts';
import { benchList } from './list.ts';
import { benchLoad } from './load.ts';
import { benchMail } from './mail.ts';
import { benchPage } from './page.ts';
import { benchReads } from './reads.ts';
import { benchRender } from './render.ts';
import { keepResult } from './results.ts';
import { benchRisk } from './risk.ts';
import { benchStart } from './start.ts';
import { benchStockLists } from './stock-lists.ts';
import { textTable } from './table.ts';
import { benchUnrelated } from './unrelated.ts';

interface Bench {
  readonly says: string;
  /** Folder of real market data, for benchmarks that need it. */
  readonly run: (data: string) => Promise<readonly Figure[]>;
  readonly readsData?: true;
}

const BENCHES: Readonly<Record<string, Bench>> = {
  page: {
    says: 'the page in a browser, rendered by our server, by the browser, or as a static build',
    run: benchPage,
  },
  load: { says: '2,000 requests per second for a minute, while runs commit every second', run: benchLoad },
  reads: { says: 'requests per second, compared with real PostgREST over real Postgres', run: benchReads },
  'fear-greed': {
    says: 'our indicators compared with published values',
    run: benchFearGreed,
    readsData: true,
  },
  risk: {
    says: 'risk outlooks of every week since 2000, judged by real closes',
    run: benchRisk,
    readsData: true,
  },
  'stock-lists': {
    says: 'verdicts of random lists of stocks, compared with those of the whole index',
    run: benchStockLists,
    readsData: true,
  },
  unrelated: {
    says: 'base rates of Fear & Greed bands with changes that are unrelated to them',
    run: benchUnrelated,
  },
  'demo-ranges': {
    says: 'the ranges of statistics in real years, which the simulated market has to match',
    run: benchDemoRanges,
    readsData: true,
  },
  render: {
    says: 'time to draw a year of hourly values and to react to each action, with a CPU four times slower',
    run: benchRender,
  },
  start: { says: 'time of the build and of two starts, memory after npm start', run: benchStart },
  image: { says: 'the steps of the container recipes, run without a container engine', run: benchImage },
  days: { says: 'pages of past days, and the page while past days are requested', run: benchDays },
  day: { says: 'memory, run times and latencies over a day of hourly runs', run: benchDay },
  mail: { says: 'mails per second of one process, by SMTP and into the outbox', run: benchMail },
  list: { says: 'time and size of the deliveries to a million subscribers', run: benchList },
};
const NAMES = Object.keys(BENCHES);

const HELP = `npm run bench                runs every benchmark, each in its own process
npm run bench -- name …      runs the named benchmarks
npm run bench -- --docs      writes the results in bench/results into docs/maintainers/performance.md

${NAMES.map((name) => `  ${name.padEnd(12)} ${BENCHES[name]?.says}`).join('\n')}

Results are stored in bench/results/<name>.json. The exit code is 1 if a bound is not met. Set BAROMETER_BENCH_DATA to the
folder of real market data (default: ../shared/data).`;

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
      `\n${name} is skipped: it needs real market data. Set BAROMETER_BENCH_DATA to the folder of the data.`,
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
  console.log(
    failed.length === 0 ? '\nEvery bound is met.' : `\nFailed, or missed a bound: ${failed.join(', ')}.`,
  );
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
    console.error(`"${unknown}" is not a benchmark. Use one of these: ${NAMES.join(', ')}.`);
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
