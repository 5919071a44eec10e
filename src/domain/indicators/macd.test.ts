import { expect, test } from 'vitest';
import { macd } from './macd.ts';

test('has a line (fast less slow average) and a histogram (line less signal)', () => {
  const { line, signal, histogram } = macd(Float64Array.of(1, 2, 3, 6, 4), 2, 3, 2);
  // The EMA of 2 closes is 1.5, 2.5, 4.8333, 4.2778 from the second close on; the EMA of 3 is 2, 4, 4 from the third
  // on.
  expect(line[2]).toBeCloseTo(0.5, 10);
  expect(line[3]).toBeCloseTo(5 / 6, 10);
  expect(line[4]).toBeCloseTo(5 / 18, 10);
  expect(signal[2]).toBeNaN();
  expect(signal[3]).toBeCloseTo(2 / 3, 10);
  expect(signal[4]).toBeCloseTo(11 / 27, 10);
  expect(histogram[4]).toBeCloseTo(5 / 18 - 11 / 27, 10);
});

test('with 12, 26, 9 starts its line at the 26th close and its signal at the 34th', () => {
  const { line, signal } = macd(Float64Array.from({ length: 60 }, (_, at) => at));
  expect(line.findIndex((value) => !Number.isNaN(value))).toBe(25);
  expect(signal.findIndex((value) => !Number.isNaN(value))).toBe(33);
  // An exponential average of n values lags a straight line by (n − 1)/2 values.
  expect(line[59]).toBeCloseTo(7, 10);
});
