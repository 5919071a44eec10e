import { expect, test } from 'vitest';
import { macd } from './macd.ts';

test('is the fast less the slow average', () => {
  const line = macd(Float64Array.of(1, 2, 3, 6, 4), 2, 3);
  // The EMA of 2 closes is 1.5, 2.5, 4.8333, 4.2778 from the second close on; the EMA of 3 is 2, 4, 4 from the third
  // on.
  expect(line[2]).toBeCloseTo(0.5, 10);
  expect(line[3]).toBeCloseTo(5 / 6, 10);
  expect(line[4]).toBeCloseTo(5 / 18, 10);
});

test('with 12 and 26 starts at the 26th close', () => {
  const line = macd(
    Float64Array.from({ length: 60 }, (_, at) => at),
    12,
    26,
  );
  expect(line.findIndex((value) => !Number.isNaN(value))).toBe(25);
  // An exponential average of n values lags a straight line by (n − 1)/2 values.
  expect(line[59]).toBeCloseTo(7, 10);
});
