import type { ProblemKind } from '../problems.ts';

/** Which values a column may have. */
export type Range = 'positive' | 'not negative' | 'any';

/** Why a value cannot be, in words that follow on it; null when it can. */
export function refusalOf(value: number, range: Range): { kind: ProblemKind; why: string } | null {
  if (Number.isNaN(value)) return { kind: 'number', why: 'not a number' };
  if (value < 0 && range !== 'any') return { kind: 'price', why: 'negative' };
  return value === 0 && range === 'positive' ? { kind: 'price', why: 'zero' } : null;
}
