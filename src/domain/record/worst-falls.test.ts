import { describe, expect, it } from 'vitest';
import { worstFalls } from './worst-falls.ts';

const of = (closes: readonly number[], most = 3, least = 5) =>
  worstFalls(closes, most, least).map(({ from, to, changePercent }) => [from, to, Math.round(changePercent)]);

describe('the largest falls', () => {
  it.each([
    ['no close', [], []],
    ['one close', [100], []],
    ['equal closes', [100, 100, 100], []],
    ['a rise', [100, 110, 120], []],
    ['falls below the least size', [100, 96, 100, 97], []],
    ['a fall from the newest of two equal highs', [100, 100, 80], [[1, 2, -20]]],
    ['a fall through a partial recovery', [100, 80, 95, 50, 60], [[0, 3, -50]]],
    [
      'a fall before the high of a larger one, and one after its low',
      [100, 90, 120, 60, 80, 72, 90],
      [
        [2, 3, -50],
        [0, 1, -10],
        [4, 5, -10],
      ],
    ],
  ] as const)('are those of %s', (_name, closes, expected) => {
    expect(of(closes)).toEqual(expected);
  });

  it('are at most as many as requested, the largest first', () => {
    expect(of([100, 90, 100, 70, 100, 80], 2)).toEqual([
      [2, 3, -30],
      [4, 5, -20],
    ]);
  });
});
