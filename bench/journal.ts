import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backfill } from '#collector/run-collector.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { startProviderStubs } from '#tests/support/providers/stubs.ts';
import type { Bound, Figure } from './figure.ts';
import { benchMembers, liveRun, makeDatabase } from './live.ts';
import { median } from './median.ts';
import { withoutJournal } from './without-journal.ts';

const ROUNDS = 5;
/** Maximum CPU time that the journal adds, in percent of the CPU time of a live run. */
const MOST_ADDED: Bound = { atMost: 5 };
const FILLED = Date.parse('2026-11-20T01:00:00Z');
const EVENING = Date.parse('2026-11-21T01:00:00Z');

/** CPU times of runs with the journal, and of the same runs without it (ms). */
interface Pairs {
  readonly recorded: number[];
  readonly not: number[];
}

/**
 * The cost of the history of published rows: the same runs with and without it, alternating. CPU time of all threads does not depend on other programs.
 */
export async function benchJournal(): Promise<Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  try {
    await makeDatabase(join(parent, 'empty'));
    const fills = await timeFills(parent);
    const { fill, evenings } = await timeLiveRuns(parent);
    return [
      // No bound: the simulated market sends no requests, so a run does little besides writing the journal.
      ...figuresOf('first fill of the simulated market', fills),
      ...figuresOf('first fill of 503 symbols', fill, MOST_ADDED),
      ...figuresOf('evening run of 503 symbols', evenings, MOST_ADDED),
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** First fills of the simulated market, which asks no provider. */
async function timeFills(parent: string): Promise<Pairs> {
  const times: Pairs = { recorded: [], not: [] };
  const now = () => EVENING;
  for (const { name, isRecorded } of inTurn(ROUNDS)) {
    const folder = copyOf(parent, 'empty');
    const database = await openEmbedded({ folder });
    const source = createSimulatedSource();
    const before = process.cpuUsage();
    await backfill({ database: isRecorded ? database : withoutJournal(database), source, now });
    const { user, system } = process.cpuUsage(before);
    times[name].push((user + system) / 1000);
    await database.close();
    rmSync(folder, { recursive: true });
  }
  return times;
}

/** A first fill and the final run of the next evening, each in a child process as the server runs them. */
async function timeLiveRuns(parent: string): Promise<{ fill: Pairs; evenings: Pairs }> {
  const fill: Pairs = { recorded: [], not: [] };
  const evenings: Pairs = { recorded: [], not: [] };
  const members = await benchMembers();
  let now = FILLED;
  const stubs = await startProviderStubs({ members, now: () => now });
  const file = join(parent, 'run.json');
  try {
    for (const { name, isRecorded } of inTurn(1)) {
      cpSync(join(parent, 'empty'), join(parent, name), { recursive: true });
      const settings = { ...{ folder: join(parent, name), members, urls: stubs.urls }, now, isRecorded };
      fill[name].push((await liveRun(file, { ...settings, job: 'backfill' })).cpu);
    }
    now = EVENING;
    for (const { name, isRecorded } of inTurn(ROUNDS)) {
      stubs.reset();
      const folder = copyOf(parent, name);
      const settings = { ...{ folder, members, urls: stubs.urls }, now, isRecorded };
      evenings[name].push((await liveRun(file, { ...settings, job: 'collect' })).cpu);
      rmSync(folder, { recursive: true });
    }
    return { fill, evenings };
  } finally {
    await stubs.close();
  }
}

function copyOf(parent: string, name: string): string {
  const copy = join(mkdtempSync(join(parent, 'copy-')), 'database');
  cpSync(join(parent, name), copy, { recursive: true });
  return copy;
}

/** Both kinds of run for each round, in an order that changes with the round. */
function inTurn(rounds: number): { name: keyof Pairs; isRecorded: boolean }[] {
  const pair = [
    { name: 'recorded', isRecorded: true },
    { name: 'not', isRecorded: false },
  ] as const;
  return Array.from({ length: rounds }, (_, at) => (at % 2 === 0 ? pair : pair.toReversed())).flat();
}

function figuresOf(name: string, { recorded, not }: Pairs, bound?: Bound): Figure[] {
  const share = 100 * (median(recorded) / median(not) - 1);
  return [
    { what: `${name}: CPU time with the record`, value: median(recorded), unit: 'ms', runs: recorded },
    { what: `${name}: without it`, value: median(not), unit: 'ms', runs: not },
    { what: `${name}: the record adds`, value: share, unit: '%', ...(bound && { bound }) },
  ];
}
