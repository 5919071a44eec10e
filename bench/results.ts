import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const FOLDER = join('bench', 'results');

/** The measurements of a benchmark, with their time and machine. */
export interface Result {
  readonly bench: string;
  /** Time of the measurement (ISO, UTC). */
  readonly takenAt: string;
  readonly machine: { readonly cores: number; readonly node: string; readonly platform: string };
  readonly figures: readonly Figure[];
}

const fileOf = (bench: string) => join(FOLDER, `${bench}.json`);

/** Writes the results of a benchmark to bench/results/<bench>.json. */
export function keepResult(bench: string, figures: readonly Figure[], now: number): void {
  const result: Result = {
    bench,
    takenAt: new Date(now).toISOString(),
    machine: {
      cores: availableParallelism(),
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
    },
    figures,
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(bench), `${JSON.stringify(result, null, 2)}\n`);
}

/** JSON has no NaN, so a failed measurement is null. */
const revived = (result: Result): Result => ({
  ...result,
  figures: result.figures.map((figure) => ({ ...figure, value: figure.value ?? Number.NaN })),
});

/** The stored results of a benchmark; null without a file, or with one of another format. */
export function keptResult(bench: string): Result | null {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(bench), 'utf8'));
    return typeof kept === 'object' && kept !== null && 'machine' in kept ? revived(kept as Result) : null;
  } catch {
    return null;
  }
}
