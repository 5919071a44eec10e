import { expect, test } from 'vitest';
import { valueAxis } from './value-axis.ts';

test('has round steps and covers every value', () => {
  expect(valueAxis([6612.3, 6734.1], 4)).toEqual({
    low: 6600,
    high: 6750,
    ticks: [6600, 6650, 6700, 6750],
    decimals: 0,
  });
  expect(valueAxis([6500, 6502], 4).ticks).toEqual([6500, 6500.5, 6501, 6501.5, 6502]);
  expect(valueAxis([0.9, 1.0], 4)).toMatchObject({ decimals: 3 });
});

test('surrounds a flat line', () => {
  const { low, high } = valueAxis([6700], 4);
  expect(low).toBeLessThan(6700);
  expect(high).toBeGreaterThan(6700);
});

test('has few ticks and ends outside the values, for any values', () => {
  for (const [least, greatest] of [
    [1e-6, 2e-6],
    [1, 9.99e14],
    [4999.99, 5000.01],
    [3, 17],
  ] as const) {
    const { low, high, ticks } = valueAxis([least, greatest], 4);
    expect(low).toBeLessThanOrEqual(least);
    expect(high).toBeGreaterThanOrEqual(greatest);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(7);
  }
});
