import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readUniverse } from '#collector/csv/market-files.ts';
import { createProblems } from '#collector/problems.ts';
import { listenTo } from '#tests/support/product.ts';
import { STUB_KEYS, startProviderStubs } from '#tests/support/providers/stubs.ts';
import type { DayAnswer, DayQuestion } from './day-clock.ts';
import { type Visitors, visit } from './day-visitors.ts';
import type { Figure } from './figure.ts';
import { memoryOfAll } from './memory.ts';

const HOUR = 3_600_000;
/** The benchmark begins on a Thursday before trading and ends at the same time of the next day. */
const BEGINS = Date.parse('2026-11-19T12:30:00Z');
const HOURS = 24;
/** Number of runs at the end that are compared with as many runs before them, between which memory may not grow. */
const SETTLED = 6;
const PROGRAM = join('dist', 'server', 'barometer.js');
/** Time between a run and the measurement of memory, in which the run releases its memory (ms). */
const AFTER_RUN = 1_000;

/**
 * The built server over a day of hourly runs with visitors: once with invented data, once with live data of 500
 * companies.
 */
export async function benchDay(): Promise<Figure[]> {
  const simulated = await day('simulated', { MARKET_SOURCE: 'simulated' });
  let clock = () => BEGINS;
  // The universe that is part of the product.
  const universe = join('src', 'collector', 'universe', 'sp500.csv');
  const members = await readUniverse(universe, createProblems());
  const stubs = await startProviderStubs({ members, now: () => clock() });
  const urls = Object.entries(stubs.urls).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]);
  const settings = {
    MARKET_SOURCE: 'live',
    ALPACA_KEY_ID: STUB_KEYS.alpaca.keyId,
    ALPACA_SECRET_KEY: STUB_KEYS.alpaca.secretKey,
    FRED_API_KEY: STUB_KEYS.fred,
    ...Object.fromEntries(urls),
  };
  try {
    const live = await day('live', settings, (now) => {
      clock = now;
    });
    return [...simulated, ...live];
  } finally {
    await stubs.close();
  }
}

/** Memory and time of the server after each run, and the visitors' latencies meanwhile. */
interface Day {
  readonly atStart: DayAnswer;
  readonly hours: readonly DayAnswer[];
  readonly seconds: readonly number[];
  readonly visitors: Visitors;
  /** Memory of the server and Postgres after the last run (MB). */
  readonly all: number;
}

async function day(
  name: string,
  settings: Record<string, string>,
  tellClock: (now: () => number) => void = () => undefined,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  let ahead = BEGINS - Date.now();
  tellClock(() => Date.now() + ahead);
  const server = startServer(folder, settings, ahead);
  const ended = once(server, 'close');
  try {
    const url = await listenTo(server).address;
    const atStart = await ask(server, { ahead });
    const hours: DayAnswer[] = [];
    const seconds: number[] = [];
    const visiting = visit(url);
    for (let hour = 1; hour <= HOURS; hour += 1) {
      ahead += HOUR;
      await ask(server, { ahead });
      const started = performance.now();
      await collect(folder, settings, ahead);
      seconds.push((performance.now() - started) / 1000);
      await new Promise((resolve) => setTimeout(resolve, AFTER_RUN));
      hours.push(await ask(server, { ahead }));
    }
    const all = memoryOfAll(server.pid ?? 0);
    return figuresOf(name, { atStart, hours, seconds, visitors: await visiting.stop(), all });
  } finally {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function environmentOf(folder: string, settings: Record<string, string>, ahead: number): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env;
  return {
    ...{ PATH, HOME, NODE_ENV: 'production', PORT: '0', BAROMETER_DATA_DIR: folder, ...settings },
    NODE_OPTIONS: `--import=${pathToFileURL(join('.tsbuild', 'bench', 'day-clock.js')).href}`,
    BENCH_AHEAD: String(ahead),
  };
}

function startServer(folder: string, settings: Record<string, string>, ahead: number): ChildProcess {
  return spawn(process.execPath, [PROGRAM, 'serve'], {
    env: environmentOf(folder, settings, ahead),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function ask(server: ChildProcess, question: DayQuestion): Promise<DayAnswer> {
  const answered = once(server, 'message');
  server.send(question);
  const [answer] = (await answered) as [DayAnswer];
  return answer;
}

async function collect(folder: string, settings: Record<string, string>, ahead: number): Promise<void> {
  const run = spawn(process.execPath, [PROGRAM, 'collect'], {
    env: environmentOf(folder, settings, ahead),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(run, 'close');
  if (code !== 0)
    throw new Error(`A collector run ended with exit code ${code}. The lines above have its error.`);
}

const megabytes = (bytes: number) => bytes / 1e6;

function figuresOf(name: string, { atStart, hours, seconds, visitors, all }: Day): Figure[] {
  const resident = hours.map((hour) => megabytes(hour.resident));
  console.log(`  ${name}, resident after each run: ${resident.map((each) => each.toFixed(0)).join(' ')}`);
  // Peaks are compared, because memory falls when it is collected, which is no fault.
  const last = Math.max(...resident.slice(-SETTLED));
  const before = Math.max(...resident.slice(-2 * SETTLED, -SETTLED));
  const memory = (what: string, value: number, bound?: Figure['bound']): Figure => ({
    what: `${name}: ${what}`,
    value,
    unit: 'MB',
    ...(bound && { bound }),
  });
  return [
    memory('resident at the start', megabytes(atStart.resident)),
    memory('resident after the first run', resident[0] ?? Number.NaN),
    memory('resident after a run, most', Math.max(...resident), { atMost: 450 }),
    memory('resident after the last run', resident.at(-1) ?? Number.NaN),
    memory('server and Postgres after the last run', all, { atMost: 220 }),
    memory(`growth over the last ${SETTLED} runs`, last - before, { atMost: 20 }),
    memory('resident at any moment, most', megabytes(Math.max(...hours.map(({ peak }) => peak)))),
    { what: `${name}: a run, longest`, value: Math.max(...seconds), unit: 's' },
    {
      what: `${name}: the server's own thread held up, longest`,
      value: Math.max(...hours.map(({ stall }) => stall)),
      unit: 'ms',
      bound: { atMost: 200 },
    },
    { what: `${name}: visitors' requests`, value: visitors.requests, unit: '' },
    { what: `${name}: of them failed`, value: visitors.failed, unit: '', bound: { exactly: 0 } },
    { what: `${name}: of them the slowest`, value: visitors.slowest, unit: 'ms' },
  ];
}
