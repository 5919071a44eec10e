import { expect, test } from 'vitest';
import { movingAverageTrend, volumeRatio, volumeTrend } from './trends.ts';

test('is bullish if both comparisons hold and bearish if neither does', () => {
  expect(movingAverageTrend(3, 2, 1)).toBe('bullish');
  expect(movingAverageTrend(1, 2, 3)).toBe('bearish');
  expect(movingAverageTrend(3, 1, 2)).toBe('neutral');
  expect(movingAverageTrend(1, 3, 2)).toBe('neutral');
  expect(movingAverageTrend(3, 2, Number.NaN)).toBeNull();
});

test('is neutral for a volume within 2 % of its average', () => {
  expect(volumeTrend(1.03)).toBe('increasing');
  expect(volumeTrend(1.02)).toBe('neutral');
  expect(volumeTrend(0.98)).toBe('neutral');
  expect(volumeTrend(0.97)).toBe('decreasing');
  expect(volumeTrend(Number.NaN)).toBeNull();
});

test('has a volume ratio of the short mean to the long mean', () => {
  const ratio = volumeRatio(Float64Array.of(10, 10, 20, 40), 2, 4);
  expect(ratio[2]).toBeNaN();
  expect(ratio[3]).toBe(1.5);
  expect(volumeRatio(new Float64Array(4), 2, 4)[3]).toBeNaN();
});
