import { describe, expect, test } from 'vitest';
import { barsOf, nobody, noise } from '#tests/support/bars.ts';
import { countNewHighsLows } from './new-highs-lows.ts';

describe('new 52-week highs and lows', () => {
  test('need 252 bars and a price beyond each of the 251 before', () => {
    const flat = Array.from({ length: 251 }, () => 10);
    const bars = barsOf({
      HIGH: [...flat, 11],
      LOW: [...flat, 9],
      SAME: [...flat, 10],
      YOUNG: [...flat.slice(1), 99],
    });
    const { highs, lows, eligible } = countNewHighsLows(bars, nobody(bars));
    expect(eligible[250]).toBeNaN();
    expect([highs[251], lows[251], eligible[251]]).toEqual([1, 1, 3]);
  });

  test('equal a search through the whole window in each session', () => {
    const next = noise(3);
    const closes = Array.from({ length: 900 }, (_, at) => 100 + 30 * Math.sin(at / 80) + 3 * next());
    const bars = barsOf({ A: closes });
    const { highs, lows } = countNewHighsLows(bars, nobody(bars));
    closes.forEach((close, at) => {
      if (at < 251) return;
      const year = closes.slice(at - 251, at);
      expect(highs[at]).toBe(Number(close > Math.max(...year)));
      expect(lows[at]).toBe(Number(close < Math.min(...year)));
    });
    const found = (counts: Float64Array): number => counts.filter((count) => count > 0).length;
    expect(found(highs)).toBeGreaterThan(20);
    expect(found(lows)).toBeGreaterThan(20);
  });

  test('start again for each member', () => {
    const flat = Array.from({ length: 251 }, () => 10);
    const bars = barsOf({ A: [...flat, 15], B: [...flat, 11] });
    const leftOut = nobody(bars);
    leftOut[251] = 1;
    const { highs, eligible } = countNewHighsLows(bars, leftOut);
    expect([highs[251], eligible[251]]).toEqual([1, 1]);
  });
});
