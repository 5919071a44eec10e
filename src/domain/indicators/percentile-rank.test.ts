import { expect, test } from 'vitest';
import { percentileRank } from './percentile-rank.ts';

test('is the share of values strictly below today’s, among all including today’s', () => {
  expect([...percentileRank(Float64Array.of(1, 2, 3, 2), 4, 4)]).toEqual([
    Number.NaN,
    Number.NaN,
    Number.NaN,
    25,
  ]);
});

test('uses only values within the window', () => {
  expect(percentileRank(Float64Array.of(0, 0, 0, 5, 4), 2, 2)[4]).toBe(0);
  expect(percentileRank(Float64Array.of(0, 0, 0, 5, 6), 2, 2)[4]).toBe(50);
});

test('needs a minimum number of observations', () => {
  const rank = percentileRank(Float64Array.of(1, Number.NaN, 2, 3), 500, 3);
  expect([...rank].slice(0, 3).every(Number.isNaN)).toBe(true);
  expect(rank[3]).toBeCloseTo(200 / 3, 10);
});
