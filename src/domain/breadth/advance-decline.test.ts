import { describe, expect, test } from 'vitest';
import { barsOf, nobody } from '#tests/support/bars.ts';
import { advanceDeclineRatio, countAdvances, totalVolume } from './advance-decline.ts';
import { flagMoves } from './flagged-moves.ts';

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
