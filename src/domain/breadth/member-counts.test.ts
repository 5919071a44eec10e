import { describe, expect, test } from 'vitest';
import { barsOf, nobody, noise } from '#tests/support/bars.ts';
import {
  advanceDeclineRatio,
  countAdvances,
  countNewHighsLows,
  flagMoves,
  totalVolume,
} from './member-counts.ts';

describe('advances and declines', () => {
  test('count members by close and volume compared with the previous session', () => {
    const bars = barsOf(
      { UP: [10, 11], ALSO: [10, 12], DOWN: [10, 9], FLAT: [10, 10] },
      { volumes: { UP: 5, ALSO: 7, DOWN: 3 } },
    );
    const counts = countAdvances(bars, nobody(bars));
    expect([
      counts.advancing[1],
      counts.declining[1],
      counts.unchanged[1],
      counts.advancingVolume[1],
      counts.decliningVolume[1],
    ]).toEqual([2, 1, 1, 12, 3]);
  });

  test('exclude a member with a missing bar from the affected sessions', () => {
    const bars = barsOf({ GAP: [10, null, 12, 13], OTHER: [10, 9, 8, 7] });
    const { advancing, declining } = countAdvances(bars, nobody(bars));
    expect([...advancing].slice(1)).toEqual([0, 0, 1]);
    expect([...declining].slice(1)).toEqual([1, 1, 1]);
  });

  test('exclude a member only from the session of its flagged move', () => {
    const bars = barsOf({ SPLIT: [100, 50, 49], OTHER: [10, 11, 12] });
    const { advancing, declining } = countAdvances(bars, flagMoves(bars).leftOut);
    expect([...declining].slice(1)).toEqual([0, 1]);
    expect([...advancing].slice(1)).toEqual([1, 1]);
  });
});

test('the ratio of advances to declines has a divisor of at least one', () => {
  const [advancing, declining, unchanged] = [
    [6, 6, 6],
    [4, 0, 4],
    [1, 0, Number.NaN],
  ].map((counts) => Float64Array.from(counts)) as [Float64Array, Float64Array, Float64Array];
  expect([...advanceDeclineRatio({ advancing, declining, unchanged })]).toEqual([1.5, 6, Number.NaN]);
});

test('total volume is the sum of the known volumes, or NaN without a known volume', () => {
  const bars = barsOf({ A: [1, 2, null], B: [1, null, null] }, { volumes: { A: 10, B: 5 } });
  expect([...totalVolume(bars)]).toEqual([15, 10, Number.NaN]);
});

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

test('excludes the sessions of moves beyond 40 % in either direction', () => {
  const bars = barsOf({ SPLIT: [100, 50, 51], PLAIN: [10, 14, 13], JUMP: [10, 10, 15] });
  const { flags, leftOut } = flagMoves(bars);
  expect(flags).toEqual([
    { symbol: 'SPLIT', session: '2020-01-02', move: -0.5 },
    { symbol: 'JUMP', session: '2020-01-03', move: 0.5 },
  ]);
  expect([...leftOut]).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 1]);
});

test('accepts a move of exactly 40 %', () => {
  const { leftOut } = flagMoves(
    barsOf({ UP: [1000, 1399, 1399], MORE: [1000, 1401, 1401], LESS: [1000, 599, 599] }),
  );
  expect([...leftOut]).toEqual([0, 0, 0, 0, 1, 0, 0, 1, 0]);
});

test('ignores a move across a missing bar', () => {
  expect(flagMoves(barsOf({ A: [100, null, 50] })).flags).toEqual([]);
});
