import { describe, expect, test } from 'vitest';
import { barsOf, nobody } from '#tests/support/bars.ts';
import { countAboveAverage, shareOfAll, shareOfGroup } from './group-counts.ts';

describe('share above an average', () => {
  test('counts the members with at least n closes, by group and in total', () => {
    const bars = barsOf({ UP: [1, 2, 3], DOWN: [3, 2, 1], OTHER: [1, 1, 4], YOUNG: [null, 1, 2] });
    const counts = countAboveAverage(bars, nobody(bars), 3, Int32Array.of(0, 0, 1, 1), 2);
    expect(shareOfGroup(counts, 0, 3)[2]).toBe(50);
    expect(shareOfGroup(counts, 1, 3)[2]).toBe(100);
    expect(shareOfAll(counts, 3)[2]).toBeCloseTo(200 / 3, 10);
    expect(shareOfAll(counts, 3)[1]).toBeNaN();
  });

  test('excludes a member without a bar from the session', () => {
    const bars = barsOf({ GAP: [1, null, 3, null, 5], OTHER: [5, 4, 3, 2, 1] });
    const share = shareOfAll(countAboveAverage(bars, nobody(bars), 3, new Int32Array(2), 1), 5);
    expect([...share].slice(2)).toEqual([0, 0, 50]);
  });

  test('does not count a price that equals its average', () => {
    const bars = barsOf({ FLAT: Array.from({ length: 400 }, () => 15.07) });
    const share = shareOfAll(countAboveAverage(bars, nobody(bars), 50, new Int32Array(1), 1), 400);
    expect(share.slice(49).every((percent) => percent === 0)).toBe(true);
  });

  test('excludes a member only from the session of its flagged move', () => {
    const bars = barsOf({ A: [1, 2, 3, 4] });
    const counts = countAboveAverage(bars, Uint8Array.of(0, 0, 1, 0), 2, new Int32Array(1), 1);
    expect([...shareOfAll(counts, 4)]).toEqual([Number.NaN, 100, Number.NaN, 100]);
  });
});
