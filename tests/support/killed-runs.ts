import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ProviderName } from '#collector/providers/provider.ts';
import type { Member } from '#domain/market-history.ts';
import { SHORT_LIVED } from './product.ts';
import type { Fault, FaultOptions } from './providers/faults.ts';

/** A run: its kind and its start (ISO). */
export interface LiveStep {
  job: 'backfill' | 'collect';
  now: string;
  faults?: readonly { provider: ProviderName; fault: Fault; options?: FaultOptions }[];
  /** Number of kills; none by default. */
  kills?: number;
}

/** Settings of the child process. */
export interface LiveSettings {
  folder: string;
  migrations: string;
  members: readonly Member[];
  /** The first day of the providers' history. */
  first: string;
  steps: readonly LiveStep[];
}

export interface KilledRuns {
  kills: number;
  /** `table rows digest` of each table at the end. */
  tables: readonly string[];
  /** Number of comparisons of the journal with the tables: one after each kill, and one at the end. */
  comparisons: number;
  /** The row sets that differed from their record in the journal. */
  differences: readonly string[];
}

/** Number of lines that an undisturbed step prints, and of those about database transactions. */
export interface StepLength {
  all: number;
  transactions: number;
}

/** Lines at the start of a transaction and at its end, before the commit. */
const OF_TRANSACTIONS = ['begun', 'worked'];

/** Runs all steps in one undisturbed process. Returns its tables and the number of lines of each step. */
export async function runUndisturbed(program: string, settings: LiveSettings) {
  const file = settingsFile(settings);
  const said = await runUntil(program, file, 0, () => false);
  const lengths = settings.steps.map((_, at): StepLength => {
    const lines = linesOf(said.lines, at);
    const transactions = lines.filter((line) => OF_TRANSACTIONS.includes(line));
    return { all: lines.length, transactions: transactions.length };
  });
  return { lengths, tables: tablesOf(said.lines) };
}

interface Disturbance {
  /** The lengths of the undisturbed steps. */
  lengths: readonly StepLength[];
  random: () => number;
}

/**
 * Runs the same steps, kills the process (SIGKILL) as often as each step says, and restarts it with the interrupted
 * step. Half of the kills are at a random line of all output, which is mostly about requests; the others are at a
 * random line about transactions. Yields after each kill, so that a test can have a time limit for each.
 */
export async function* killRounds(
  program: string,
  settings: LiveSettings,
  { lengths, random }: Disturbance,
): AsyncGenerator<void, KilledRuns> {
  const file = settingsFile(settings);
  const left = settings.steps.map(({ kills = 0 }) => kills);
  const differences: string[] = [];
  let comparisons = 0;
  let step = 0;
  for (let kills = 0; ; ) {
    const kind = kills % 2 === 0 ? 'transactions' : 'all';
    const planned = settings.steps.map(({ kills: all = 0 }, at) => {
      // A resumed step prints less, so spread its kills over its whole output.
      const length = lengths[at]?.[kind] ?? 1;
      const reach = all > 1 ? Math.ceil((2 * length) / (all + 1)) : length;
      return (left[at] ?? 0) > 0 ? 1 + Math.floor(random() * reach) : Number.POSITIVE_INFINITY;
    });
    const said = await runUntil(program, file, step, (at, counted, isDone) => {
      return counted[kind] >= (planned[at] ?? Number.POSITIVE_INFINITY) || (isDone && (left[at] ?? 0) > 0);
    });
    differences.push(...said.lines.filter((line) => line.startsWith('differs ')));
    // The first process compares an empty journal, which does not count.
    comparisons += said.lines.filter((line) => line === 'compared').length - (kills === 0 ? 1 : 0);
    if (said.killedAt === null) return { kills, tables: tablesOf(said.lines), comparisons, differences };
    kills += 1;
    step = said.killedAt;
    left[step] = (left[step] ?? 0) - 1;
    yield;
  }
}

function settingsFile(settings: LiveSettings): string {
  const file = `${settings.folder}.json`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

/** Runs the child from a step on and kills it when `isTime` returns true. Throws if it fails by itself. */
async function runUntil(
  program: string,
  file: string,
  firstStep: number,
  isTime: (step: number, said: StepLength, isDone: boolean) => boolean,
) {
  const child = spawn(process.execPath, [...SHORT_LIVED, program, file, String(firstStep)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Ignore the error of writing to a killed process.
  child.stdin.on('error', () => undefined);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4000);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines: string[] = [];
  let killedAt: number | null = null;
  let step = -1;
  let counted: StepLength = { all: 0, transactions: 0 };
  for await (const said of createInterface({ input: child.stdout })) {
    lines.push(said);
    const [word = '', number = ''] = said.split(' ');
    if (word === 'step') {
      step = Number(number);
      counted = { all: 0, transactions: 0 };
    } else {
      counted.all += 1;
      if (OF_TRANSACTIONS.includes(word)) counted.transactions += 1;
    }
    if (killedAt === null && step >= 0 && isTime(step, counted, word === 'done')) {
      killedAt = step;
      child.kill('SIGKILL');
    }
    if (word === 'done') child.stdin.write('\n');
  }
  const code = await ended;
  if (killedAt === null && code !== 0) throw new Error(`The runs failed: ${errors}`);
  return { lines, killedAt };
}

function linesOf(lines: readonly string[], step: number): readonly string[] {
  const from = lines.indexOf(`step ${step}`);
  const to = lines.findIndex((line) => line.startsWith(`done ${step} `));
  return lines.slice(from + 1, to + 1);
}

const tablesOf = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith('table ')).map((line) => line.slice('table '.length));
