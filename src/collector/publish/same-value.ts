import type { Cell } from './row-sets.ts';

/** Relative tolerance for equal values; absolute below 1. */
const NOISE = 1e-9;

/** True if two numbers differ only by rounding. */
export function isNoise(a: number, b: number): boolean {
  return Math.abs(a - b) <= NOISE * Math.max(1, Math.abs(a), Math.abs(b));
}

/** True if rows equal the stored rows, which are CSV text of Postgres. */
export function sameRows(wanted: readonly Cell[][], stored: readonly string[][]): boolean {
  return (
    wanted.length === stored.length &&
    wanted.every((row, at) => row.every((cell, column) => sameCell(cell, stored[at]?.[column])))
  );
}

function sameCell(cell: Cell, text: string | undefined): boolean {
  if (cell === null) return text === '';
  if (typeof cell === 'boolean') return text === (cell ? 't' : 'f');
  return typeof cell === 'number'
    ? text !== '' && text !== undefined && isNoise(Number(text), cell)
    : text === cell.trim();
}

/** True if rows have all values of the stored rows and at least one more. */
export function onlyAdds(wanted: readonly Cell[][], stored: readonly string[][]): boolean {
  if (wanted.length < stored.length) return false;
  const lost = stored.some((row, at) =>
    row.some((text, column) => text !== '' && (wanted[at]?.[column] ?? null) === null),
  );
  const values = wanted.flat().filter((cell) => cell !== null).length;
  return !lost && values > stored.flat().filter((text) => text !== '').length;
}
