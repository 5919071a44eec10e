import { expect, test } from 'vitest';
import { trin } from './trin.ts';

function oneSession(advancing: number, declining: number, up: number, down: number): number | undefined {
  return trin({
    advancing: Float64Array.of(advancing),
    declining: Float64Array.of(declining),
    advancingVolume: Float64Array.of(up),
    decliningVolume: Float64Array.of(down),
  })[0];
}

test('is 1 if volume is proportional to issues', () => {
  expect(oneSession(300, 100, 600, 200)).toBe(1);
  expect(oneSession(300, 100, 1200, 200)).toBe(0.5);
});

test('is NaN if a denominator is 0', () => {
  expect(oneSession(300, 0, 600, 0)).toBeNaN();
  expect(oneSession(300, 100, 600, 0)).toBeNaN();
  expect(oneSession(300, 100, 0, 200)).toBeNaN();
});

test('is 0 if no issue advances despite some advancing volume', () => {
  expect(oneSession(0, 100, 1, 200)).toBe(0);
});
