import { describe, expect, it } from 'vitest';
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

const NONE = Number.NaN;
const of = (...values: number[]) => Float64Array.of(...values);

const changes = (values: Float64Array) =>
  overObservations(values, (observed) => observed.map((value, at) => value - (observed[at - 1] ?? NONE)));

describe('running windows', () => {
  it.each<[string, Float64Array, number[]]>([
    [
      'a change skips sessions without an observation',
      changes(of(1, NONE, 3, NONE, 7)),
      [NONE, NONE, 2, NONE, 4],
    ],
    ['a change of no observation is NaN', changes(of(NONE, NONE)), [NONE, NONE]],
    ['a simple average starts with the n-th value', sma(of(1, 2, 3, 4, 8), 3), [NONE, NONE, 2, 3, 5]],
    ['a simple average skips a gap', sma(of(1, NONE, 3, 8), 2), [NONE, NONE, 2, 5.5]],
    ['a simple average of too few values is NaN', sma(of(1, 2), 3), [NONE, NONE]],
    ['a simple average of nothing is empty', sma(of(), 3), []],
    ['an exponential average starts with a simple one', ema(of(1, 2, 3, 6, 4), 3), [NONE, NONE, 2, 4, 4]],
    ['an exponential average of too few values is NaN', ema(of(1, 2), 3), [NONE, NONE]],
    // Mean 5, deviations −3 −1 −1 −1 0 0 2 4: the population standard deviation is 2.
    ['a z-score includes the last value', zScore(of(2, 4, 4, 4, 5, 5, 7, 9), 8), [...Array(7).fill(NONE), 2]],
    ['a z-score of equal fractions is NaN', zScore(of(0.1, 0.1, 0.1, 0.1), 3), Array(4).fill(NONE)],
    ['a z-score of zeros is NaN', zScore(of(0, 0, 0, 0), 3), Array(4).fill(NONE)],
    ['a rank is the share strictly below', percentileRank(of(1, 2, 3, 2), 4, 4), [NONE, NONE, NONE, 25]],
    ['a rank uses its window only', percentileRank(of(0, 0, 5, 4, 6), 2, 2), [NONE, 0, 50, 0, 50]],
    [
      'a rank needs enough observations',
      percentileRank(of(1, NONE, 2, 3), 500, 3),
      [NONE, NONE, NONE, 200 / 3],
    ],
    ['a session mean starts with the n-th session', sessionMean(of(1, 2, 6, 4), 3), [NONE, NONE, 3, 4]],
    [
      'a session mean counts from the first observation',
      sessionMean(of(NONE, NONE, 2, 4), 2),
      [NONE, NONE, NONE, 3],
    ],
    [
      'a session mean needs half of its window',
      sessionMean(of(2, NONE, 4, NONE, NONE, NONE), 4),
      [NONE, NONE, NONE, 3, NONE, NONE],
    ],
    ['a session mean of nothing is NaN', sessionMean(of(NONE, NONE), 2), [NONE, NONE]],
    [
      'a mean needs enough series',
      meanOfPresent([of(1, 1, NONE), of(3, NONE, NONE), of(8, 3, 5)], 2),
      [4, 2, NONE],
    ],
    [
      'a value is carried for five sessions',
      carryForward(of(NONE, 3, ...Array(7).fill(NONE), 5)),
      [NONE, 3, 3, 3, 3, 3, 3, NONE, NONE, 5],
    ],
  ])('%s', (_, values, expected) => {
    expect([...values]).toEqual(expected);
  });

  it('a z-score stays precise for small moves at a high level', () => {
    const small = Float64Array.from({ length: 200 }, (_, at) => Math.sin(at));
    const high = small.map((value) => value + 1e6);
    expect(zScore(high, 125)[199]).toBeCloseTo(zScore(small, 125)[199] ?? NONE, 6);
  });
});
