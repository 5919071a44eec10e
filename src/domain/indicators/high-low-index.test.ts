import { expect, test } from 'vitest';
import { highLowIndex } from './high-low-index.ts';

test('is the mean share of new highs among new highs and lows, without sessions that have neither', () => {
  const highs = Float64Array.of(30, 5, 0, 30, 5, 0, 30, 5, 0, 3, 0);
  const lows = Float64Array.of(10, 0, 8, 10, 0, 8, 10, 0, 8, 1, 0);
  const index = highLowIndex(highs, lows);
  expect(index[8]).toBeNaN();
  expect(index[9]).toBe(60);
  expect(index[10]).toBeCloseTo(525 / 9, 12);
});

test('is NaN for a session without counts', () => {
  const counts = (missing: number, value: number) =>
    Float64Array.from({ length: 12 }, (_, at) => (at === missing ? Number.NaN : value));
  for (const index of [
    highLowIndex(counts(10, 3), counts(-1, 1)),
    highLowIndex(counts(-1, 3), counts(10, 1)),
  ]) {
    expect([...index.slice(9)]).toEqual([75, Number.NaN, 75]);
  }
});
