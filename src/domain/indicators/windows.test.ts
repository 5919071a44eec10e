import { describe, expect, test } from 'vitest';
import {
  carryForward,
  ema,
  meanOfPresent,
  overObservations,
  percentileRank,
  sessionMean,
  sma,
  zScore,
} from './windows.ts';

test('returns NaN for a session without an observation', () => {
  const differences = overObservations(Float64Array.of(1, Number.NaN, 3, Number.NaN, 7), (observed) =>
    observed.map((value, at) => value - (observed[at - 1] ?? Number.NaN)),
  );
  expect([...differences]).toEqual([Number.NaN, Number.NaN, 2, Number.NaN, 4]);
});

test('is NaN for a series without observations', () => {
  expect([...overObservations(Float64Array.of(Number.NaN, Number.NaN), (observed) => observed)]).toEqual([
    Number.NaN,
    Number.NaN,
  ]);
});

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

test('is the mean of the last n sessions, or NaN before the n-th', () => {
  expect([...sessionMean(Float64Array.of(1, 2, 6, 4), 3)]).toEqual([NONE, NONE, 3, 4]);
});

test('counts sessions from the first observation on', () => {
  expect([...sessionMean(Float64Array.of(NONE, NONE, 2, 4), 2)]).toEqual([NONE, NONE, NONE, 3]);
});

test('excludes gaps, and is NaN if most of the window is missing', () => {
  const values = Float64Array.of(2, NONE, 4, NONE, NONE, NONE);
  expect([...sessionMean(values, 4)]).toEqual([NONE, NONE, NONE, 3, NONE, NONE]);
});

test('is NaN without observations', () => {
  expect([...sessionMean(Float64Array.of(NONE, NONE), 2)]).toEqual([NONE, NONE]);
});

test('averages the available values, or returns NaN if too few are available', () => {
  const mean = meanOfPresent(
    [Float64Array.of(1, 1, Number.NaN), Float64Array.of(3, Number.NaN, Number.NaN), Float64Array.of(8, 3, 5)],
    2,
  );
  expect([...mean]).toEqual([4, 2, Number.NaN]);
});

test('fills a limited number of sessions after an observation', () => {
  const carried = carryForward(Float64Array.of(Number.NaN, 4, Number.NaN, Number.NaN, Number.NaN, 5), 2);
  expect([...carried]).toEqual([Number.NaN, 4, 4, 4, Number.NaN, 5]);
});

test('fills five sessions by default', () => {
  const carried = carryForward(Float64Array.from({ length: 8 }, (_, at) => (at === 0 ? 3 : Number.NaN)));
  expect([...carried]).toEqual([3, 3, 3, 3, 3, 3, Number.NaN, Number.NaN]);
});
