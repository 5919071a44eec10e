import { describe, expect, test } from 'vitest';
import { ema, sma } from './moving-average.ts';

const NONE = Number.NaN;

describe('simple average', () => {
  test('is the mean of the last n values, and NaN before the n-th', () => {
    expect([...sma(Float64Array.of(1, 2, 3, 4, 8), 3)]).toEqual([NONE, NONE, 2, 3, 5]);
  });

  test('skips a gap, where it is NaN', () => {
    expect([...sma(Float64Array.of(1, NONE, 3, 8), 2)]).toEqual([NONE, NONE, 2, 5.5]);
  });

  test('is NaN for a series shorter than n', () => {
    expect([...sma(Float64Array.of(1, 2), 3)]).toEqual([NONE, NONE]);
    expect(sma(new Float64Array(), 3)).toHaveLength(0);
  });
});

describe('exponential average', () => {
  test('starts with the simple average of the first n, then moves by 2/(n + 1)', () => {
    expect([...ema(Float64Array.of(1, 2, 3, 6, 4), 3)]).toEqual([NONE, NONE, 2, 4, 4]);
  });

  test('is independent of its start after 250 observations of a 26-session span', () => {
    const walk = Float64Array.from({ length: 280 }, (_, at) => 100 + 10 * Math.sin(at / 7));
    const otherStart = walk.slice();
    otherStart[0] = 101;
    const difference = (ema(walk, 26)[279] ?? NONE) - (ema(otherStart, 26)[279] ?? NONE);
    expect(Math.abs(difference)).toBeLessThan(1e-8);
  });

  test('is NaN for a series shorter than n', () => {
    expect([...ema(Float64Array.of(1, 2), 3)]).toEqual([NONE, NONE]);
  });
});
