import type { SeriesName } from '#domain/market-history.ts';
import type { SeriesTable } from '../history/assemble.ts';
import type { ProblemKind } from '../problems.ts';

/** Which values a column may have. */
export type Range = 'positive' | 'not negative' | 'any';

/** Why a value cannot be, in words that follow on it; null when it can. */
export function refusalOf(value: number, range: Range): { kind: ProblemKind; why: string } | null {
  if (Number.isNaN(value)) return { kind: 'number', why: 'not a number' };
  if (value < 0 && range !== 'any') return { kind: 'price', why: 'negative' };
  return value === 0 && range === 'positive' ? { kind: 'price', why: 'zero' } : null;
}

/** The values of a series in a table, made when there are none yet. */
export function valuesOf(table: SeriesTable, series: SeriesName): Map<number, number> {
  const values = table.get(series) ?? new Map<number, number>();
  table.set(series, values);
  return values;
}
