import { expect, it } from 'vitest';
import { crps } from './crps.ts';

it('the CRPS of one value is its distance, and of a sample its mean distance less half its spread', () => {
  expect(crps(Float64Array.of(3), 5)).toBe(2);
  // E|X − 2| = (1 + 0 + 2) / 3 and E|X − X′| = 2 · (1 + 3 + 2) / 9.
  expect(crps(Float64Array.of(1, 2, 4), 2)).toBeCloseTo(1 - 6 / 9, 12);
});
