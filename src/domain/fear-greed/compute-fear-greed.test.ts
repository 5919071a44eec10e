import { describe, expect, test } from 'vitest';
import {
  fundHavenGreed,
  junkBondGreed,
  optionsGreed,
  priceBreadth,
  priceStrength,
  yieldHavenGreed,
} from './compute-fear-greed.ts';

const NONE = Number.NaN;

function steady(length: number, value: number): Float64Array {
  return new Float64Array(length).fill(value);
}

test('price strength is net new highs in percent of all issues, averaged over 20 sessions', () => {
  const strength = priceStrength(steady(20, 60), steady(20, 10), steady(20, 1000));
  expect(strength[18]).toBeNaN();
  expect(strength[19]).toBeCloseTo(5, 10);
});

describe('price breadth', () => {
  test('is the running total of the oscillator', () => {
    const rising = Float64Array.from({ length: 60 }, (_, at) => (at < 40 ? 100 : 150));
    const breadth = priceBreadth(rising, steady(60, 100));
    expect(breadth[38]).toBe(0);
    expect(breadth[41] ?? NONE).toBeGreaterThan(breadth[40] ?? NONE);
  });

  test('keeps its value over a short gap only', () => {
    const rising = Float64Array.from({ length: 60 }, (_, at) =>
      at === 50 || at > 53 ? NONE : 150 + (at % 7),
    );
    const breadth = priceBreadth(rising, steady(60, 100));
    expect(breadth[50]).toBe(breadth[49]);
    expect(breadth[58]).toBe(breadth[53]);
    expect(breadth[59]).toBeNaN();
  });
});

test('options greed is the negated 5-session mean of put/call, without gaps', () => {
  const greed = optionsGreed(Float64Array.of(1, 1, NONE, 0.5, 0.5));
  expect(greed[3]).toBeNaN();
  expect(greed[4]).toBe(-0.75);
});

test('junk-bond greed is the negated spread over investment grade, carried over a bank holiday', () => {
  const greed = junkBondGreed(Float64Array.of(4, NONE, 5), Float64Array.of(1, NONE, 1.5));
  expect([...greed]).toEqual([-3, -3, -3.5]);
});

test('haven greed is the 19-session return of stocks less that of a Treasury', () => {
  const close = Float64Array.from({ length: 20 }, (_, at) => (at === 19 ? 110 : 100));
  const yields = Float64Array.from({ length: 20 }, (_, at) => (at < 10 ? 4 : 3.5));
  const greed = yieldHavenGreed(close, yields);
  expect(greed[18]).toBeNaN();
  // Stocks gain 10 %. The yield falls by 0.5 points, so the Treasury gains 7.4 × 0.5 = 3.7 %.
  expect(greed[19]).toBeCloseTo(6.3, 10);
  const fund = Float64Array.from({ length: 20 }, (_, at) => (at === 19 ? 93 : 100));
  expect(fundHavenGreed(close, fund)[19]).toBeCloseTo(17, 10);
});
