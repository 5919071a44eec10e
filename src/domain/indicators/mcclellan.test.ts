import { describe, expect, test } from 'vitest';
import { mcclellanOscillator, mcclellanSummation, ratioAdjustedNetAdvances } from './mcclellan.ts';

/**
 * Values that McClellan Financial Publications published on 2024-04-18, not ratio-adjusted:
 * https://www.mcoscillator.com
 */
const PUBLISHED = {
  advances: 1362,
  declines: 1423,
  fastTrend: -376.224,
  slowTrend: -147.599,
  oscillator: -228.626,
  oscillatorBefore: -259.093,
} as const;

/**
 * Returns 39 net advances after which the two trends have the given values: 19 times one number, then 20 times another.
 * Both trends are linear in the two numbers, so two equations give the numbers.
 */
function warmUp(fast: number, slow: number): Float64Array {
  const weight = 0.9 ** 20;
  const late = (slow * 39 - (19 * fast) / weight) / (20 - (19 * (1 - weight)) / weight);
  const early = (fast - (1 - weight) * late) / weight;
  return Float64Array.from({ length: 39 }, (_, at) => (at < 19 ? early : late));
}

describe('McClellan oscillator', () => {
  test('reproduces the published oscillator from the published trends', () => {
    const net = PUBLISHED.advances - PUBLISHED.declines;
    const fastBefore = (PUBLISHED.fastTrend - 0.1 * net) / 0.9;
    const slowBefore = (PUBLISHED.slowTrend - 0.05 * net) / 0.95;
    const oscillator = mcclellanOscillator(Float64Array.of(...warmUp(fastBefore, slowBefore), net));
    expect(oscillator[37]).toBeNaN();
    expect(Math.abs((oscillator[38] ?? Number.NaN) - PUBLISHED.oscillatorBefore)).toBeLessThan(0.002);
    expect(Math.abs((oscillator[39] ?? Number.NaN) - PUBLISHED.oscillator)).toBeLessThan(0.002);
  });

  test('converges to 0 if the same share of issues advances in each session', () => {
    const oscillator = mcclellanOscillator(new Float64Array(60).fill(120));
    expect(oscillator[59]).toBeCloseTo(0, 10);
  });
});

test('net advances are adjusted to a thousand changed issues', () => {
  const adjusted = ratioAdjustedNetAdvances(Float64Array.of(300, 3, 0), Float64Array.of(100, 1, 0));
  expect([...adjusted]).toEqual([500, 500, Number.NaN]);
});

test('the summation adds up the oscillator and skips missing values', () => {
  const total = mcclellanSummation(Float64Array.of(Number.NaN, 2, 3, Number.NaN, -4));
  expect([...total]).toEqual([Number.NaN, 2, 5, Number.NaN, 1]);
});
