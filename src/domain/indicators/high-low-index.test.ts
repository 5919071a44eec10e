import { expect, test } from 'vitest';
import { highLowIndex, recordHighPercent } from './high-low-index.ts';

test('is the share of new highs among new highs and lows', () => {
  const percent = recordHighPercent(Float64Array.of(30, 5, 0), Float64Array.of(10, 0, 8));
  expect([...percent]).toEqual([75, 100, 0]);
});

test('is NaN for a session without highs and lows', () => {
  expect(recordHighPercent(Float64Array.of(0), Float64Array.of(0))[0]).toBeNaN();
  const highs = Float64Array.from({ length: 11 }, (_, at) => (at === 10 ? 0 : 3));
  const lows = Float64Array.from({ length: 11 }, (_, at) => (at === 10 ? 0 : 1));
  const index = highLowIndex(highs, lows);
  expect(index[8]).toBeNaN();
  expect(index[9]).toBe(75);
  expect(index[10]).toBe(75);
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
