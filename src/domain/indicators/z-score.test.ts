import { expect, test } from 'vitest';
import { zScore } from './z-score.ts';

test('is the distance from the mean in population standard deviations, including today', () => {
  // Mean 5, deviations −3 −1 −1 −1 0 0 2 4: the population standard deviation is 2.
  const z = zScore(Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9), 8);
  expect(z[6]).toBeNaN();
  expect(z[7]).toBe(2);
});

test('is NaN for constant values', () => {
  expect(zScore(new Float64Array(6).fill(0.1), 5).every(Number.isNaN)).toBe(true);
  expect(zScore(new Float64Array(6), 5).every(Number.isNaN)).toBe(true);
});

test('stays precise for small moves at a high level', () => {
  const small = Float64Array.from({ length: 200 }, (_, at) => Math.sin(at));
  const high = small.map((value) => value + 1e6);
  expect(zScore(high, 125)[199]).toBeCloseTo(zScore(small, 125)[199] ?? Number.NaN, 6);
});
