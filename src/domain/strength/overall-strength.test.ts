import { expect, test } from 'vitest';
import { indexDistanceRank, overallStrength } from './overall-strength.ts';

const NONE = Number.NaN;

test('is the mean of at least three parts', () => {
  const strength = overallStrength({
    aboveSlowAverage: Float64Array.of(40, 40, NONE),
    highLowIndex: Float64Array.of(60, NONE, NONE),
    meanSectorStrength: Float64Array.of(50, 50, 50),
    indexDistanceRank: Float64Array.of(90, 90, 90),
  });
  expect([...strength]).toEqual([60, 60, NONE]);
});

test('ranks the distance from the 200-session average from 250 distances on', () => {
  const accelerating = Float64Array.from({ length: 449 }, (_, at) => 100 * Math.exp((at / 300) ** 2));
  const rank = indexDistanceRank(accelerating);
  expect(rank[447]).toBeNaN();
  // The index is further above its average than ever before.
  expect(rank[448]).toBeCloseTo((100 * 249) / 250, 10);
});
