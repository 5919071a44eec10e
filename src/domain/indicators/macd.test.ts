import { expect, test } from 'vitest';
import { macd } from './macd.ts';

test('the line is the fast less the slow average; the histogram is the line less its average', () => {
  const { line, signal, histogram } = macd(Float64Array.of(1, 2, 3, 6, 4), 2, 3, 2);
  // EMA2: 1.5, 2.5, 4.8333, 4.2778 from the second; EMA3: 2, 4, 4 from the third.
  expect(line[2]).toBeCloseTo(0.5, 10);
  expect(line[3]).toBeCloseTo(5 / 6, 10);
  expect(line[4]).toBeCloseTo(5 / 18, 10);
  expect(signal[2]).toBeNaN();
  expect(signal[3]).toBeCloseTo(2 / 3, 10);
  expect(signal[4]).toBeCloseTo(11 / 27, 10);
  expect(histogram[4]).toBeCloseTo(5 / 18 - 11 / 27, 10);
});

test('12, 26, 9 has a line from the 26th close and a signal from the 34th', () => {
  const { line, signal } = macd(Float64Array.from({ length: 60 }, (_, at) => at));
  expect(line.findIndex((value) => !Number.isNaN(value))).toBe(25);
  expect(signal.findIndex((value) => !Number.isNaN(value))).toBe(33);
  // Both averages of a straight line lag it by (n − 1)/2.
  expect(line[59]).toBeCloseTo(7, 10);
});
