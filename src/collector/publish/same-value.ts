import type { Cell } from './tables.ts';

/** Two ways to the same number differ by less than this, of it or of one. */
const NOISE = 1e-9;

/** Whether two numbers differ by no more than the order they were computed in. */
export function isNoise(a: number, b: number): boolean {
  return Math.abs(a - b) <= NOISE * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Whether rows have a value wherever the standing ones have one, and more of them. */
export function onlyAdds(wanted: readonly Cell[][], standing: readonly string[][]): boolean {
  if (wanted.length < standing.length) return false;
  const lost = standing.some((row, at) =>
    row.some((text, column) => text !== '' && (wanted[at]?.[column] ?? null) === null),
  );
  return !lost && count(wanted, (cell) => cell !== null) > count(standing, (text) => text !== '');
}

function count<T>(rows: readonly T[][], isThere: (cell: T) => boolean): number {
  return rows.reduce((sum, row) => sum + row.filter(isThere).length, 0);
}
