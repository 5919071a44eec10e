import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createProblems } from '#collector/problems.ts';
import { backfill, collect } from '#collector/run-collector.ts';
import { createCsvSource } from '#collector/sources/csv-source.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import type { Progress, Source } from '#collector/sources/source.ts';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { readMarket } from '#domain/market-readings.ts';
import { snapshotAt } from '#domain/snapshot.ts';
import { readSource } from '#tests/support/read-source.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';

/** A Friday evening, so that the results do not depend on the day of the measurement. */
const NOW = Date.parse('2026-11-20T22:00:00Z');
const INDEX = 'sp500-2013-2018';
const SERIES = [
  'sp500',
  'vix',
  'put-call',
  'nyse-advance-decline',
  'nyse-highs-lows',
  'credit-spreads',
  'treasury-10y',
];

const megabytes = (bytes: number) => bytes / 1e6;
const peak = () => process.resourceUsage().maxRSS / 1e3;

/** Times a run of the collector over five years of an index, and a first start of the simulated market. */
export async function benchCollector(data: string): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  try {
    const market = join(folder, 'market');
    prepareMarket(resolve(data), market);
    const figures = await timeReading(market);
    figures.push(...(await timeBackfill(folder, 'real', createCsvSource({ dir: market, replay: true }), 15)));
    figures.push(...(await timeBackfill(folder, 'simulated', createSimulatedSource(), 4)));
    // Measure this last, because its preparation uses memory.
    const half = join(folder, 'half');
    prepareHalf(resolve(data), half);
    figures.push(await compareHalf(market, half));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A data folder with the market files, as prepared by an operator. */
function prepareMarket(data: string, market: string): void {
  mkdirSync(market);
  symlinkSync(join(data, 'bars', `${INDEX}.csv.gz`), join(market, 'bars.csv.gz'));
  symlinkSync(join(data, 'bars', `${INDEX}-universe.csv`), join(market, 'universe.csv'));
  linkSeries(data, market);
}

/** A folder with every second company of the index. */
function prepareHalf(data: string, market: string): void {
  mkdirSync(market);
  const [head = '', ...companies] = readFileSync(join(data, 'bars', `${INDEX}-universe.csv`), 'utf8').split(
    '\n',
  );
  const kept = companies.filter((_, at) => at % 2 === 0);
  const symbols = new Set(['symbol', ...kept.map(symbolOf)]);
  const bars = gunzipSync(readFileSync(join(data, 'bars', `${INDEX}.csv.gz`)))
    .toString()
    .split('\n');
  const ofThem = bars.filter((line) => symbols.has(symbolOf(line)));
  writeFileSync(join(market, 'bars.csv.gz'), gzipSync(ofThem.join('\n')));
  writeFileSync(join(market, 'universe.csv'), [head, ...kept].join('\n'));
  linkSeries(data, market);
}

const symbolOf = (line: string) => line.slice(0, line.indexOf(','));

function linkSeries(data: string, market: string): void {
  for (const name of SERIES) symlinkSync(join(data, 'series', `${name}.csv`), join(market, `${name}.csv`));
}

/** Reads and computes once. Returns the sizes and the duration of each step (ms). */
async function readOnce(source: Source) {
  const problems = createProblems();
  const started = performance.now();
  const { history } = await readSource(source, NOW, { problems });
  const read = performance.now();
  const readings = readMarket(history);
  const snapshots = history.bars.sessions.filter((session) => snapshotAt(readings, session) !== null).length;
  const bars = history.bars.close.reduce((count, close) => (Number.isNaN(close) ? count : count + 1), 0);
  const computed = performance.now();
  return { bars, refused: problems.refused, snapshots, read: read - started, compute: computed - read };
}

/**
 * Returns the time per bar of the whole index, divided by the time per bar of half the index. It stays near 1 if time
 * grows linearly with the number of bars.
 */
async function compareHalf(whole: string, half: string): Promise<Figure> {
  const times: { whole: number[]; half: number[] } = { whole: [], half: [] };
  for (let round = 0; round < 3; round += 1) {
    for (const [name, dir] of [
      ['whole', whole],
      ['half', half],
    ] as const) {
      const { read, compute, bars } = await readOnce(createCsvSource({ dir }));
      times[name].push((read + compute) / bars);
    }
  }
  const value = median(times.whole) / median(times.half);
  return {
    what: 'time for a bar, beside that with half of the bars',
    value,
    unit: '×',
    bound: { atMost: 1.3 },
  };
}

/** Reading and computing without a database: the first run, then the median of three. */
async function timeReading(market: string): Promise<Figure[]> {
  const source = createCsvSource({ dir: market });
  const before = megabytes(process.memoryUsage.rss());
  const cold = await readOnce(source);
  const beyond = peak() - before;
  const warm = [await readOnce(source), await readOnce(source), await readOnce(source)].sort(
    (a, b) => a.read + a.compute - b.read - b.compute,
  )[1];
  const seconds = (run: typeof cold | undefined) => ((run?.read ?? 0) + (run?.compute ?? 0)) / 1000;
  return [
    { what: 'bars parsed', value: cold.bars, unit: '' },
    { what: 'rows refused', value: cold.refused, unit: '' },
    { what: 'snapshots computed', value: cold.snapshots, unit: '' },
    { what: 'reading, first run of the process', value: cold.read / 1000, unit: 's' },
    { what: 'computing, first run of the process', value: cold.compute / 1000, unit: 's' },
    { what: 'reading and computing, first run', value: seconds(cold), unit: 's', bound: { atMost: 0.8 } },
    {
      what: 'reading and computing, median of three more',
      value: seconds(warm),
      unit: 's',
      bound: { atMost: 0.8 },
    },
    { what: 'peak memory of reading and computing', value: beyond, unit: 'MB', bound: { atMost: 250 } },
  ];
}

async function timeBackfill(folder: string, name: string, source: Source, bound: number): Promise<Figure[]> {
  const started = performance.now();
  const database = await openEmbedded({
    folder: join(folder, name),
    migrationsFolder: join('supabase', 'migrations'),
  });
  const opened = performance.now();
  try {
    const first = await timeRun(database, source, backfill);
    const again = await timeRun(database, source, backfill);
    const nothingNew = await timeRun(database, source, collect);
    return [
      { what: `${name}: database made and migrated`, value: (opened - started) / 1000, unit: 's' },
      { what: `${name}: rows written`, value: first.rowsWritten, unit: '' },
      ...[...first.stages].map(([stage, { seconds, rss }]) => ({
        what: `${name}: ${stage} (${rss.toFixed(0)} MB resident after it)`,
        value: seconds,
        unit: 's',
      })),
      { what: `${name}: backfill in all`, value: first.seconds, unit: 's', bound: { atMost: bound } },
      { what: `${name}: backfill again, nothing new`, value: again.seconds, unit: 's' },
      { what: `${name}: collect, nothing new`, value: nothingNew.seconds, unit: 's' },
      { what: `${name}: peak memory, database and its making included`, value: peak(), unit: 'MB' },
    ];
  } finally {
    await database.close();
  }
}

async function timeRun(database: Database, source: Source, run: typeof collect) {
  const stages = new Map<Progress['stage'], { seconds: number; rss: number }>();
  const started = performance.now();
  let since = started;
  let current: Progress['stage'] = 'reading';
  const close = (stage: Progress['stage']) => {
    const now = performance.now();
    stages.set(stage, { seconds: (now - since) / 1000, rss: megabytes(process.memoryUsage.rss()) });
    since = now;
  };
  const report = ({ stage }: Progress) => {
    if (stage === current) return;
    close(current);
    current = stage;
  };
  const { rowsWritten } = await run({ database, source, now: () => NOW, report });
  close(current);
  return { rowsWritten, stages, seconds: (performance.now() - started) / 1000 };
}
