import { expect, test } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { flagMoves } from './flagged-moves.ts';

test('a move beyond 40 % either way is flagged and its session left out', () => {
  const bars = barsOf({ SPLIT: [100, 50, 51], PLAIN: [10, 14, 13], JUMP: [10, 10, 15] });
  const { flags, leftOut } = flagMoves(bars);
  expect(flags).toEqual([
    { symbol: 'SPLIT', session: '2020-01-02', move: -0.5 },
    { symbol: 'JUMP', session: '2020-01-03', move: 0.5 },
  ]);
  expect([...leftOut]).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 1]);
});

test('40 % is a price, a little more is not', () => {
  const { leftOut } = flagMoves(
    barsOf({ UP: [1000, 1399, 1399], MORE: [1000, 1401, 1401], LESS: [1000, 599, 599] }),
  );
  expect([...leftOut]).toEqual([0, 0, 0, 0, 1, 0, 0, 1, 0]);
});

test('a move over a missing bar is not a one-day move', () => {
  expect(flagMoves(barsOf({ A: [100, null, 50] })).flags).toEqual([]);
});
