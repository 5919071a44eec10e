import { expect, test } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { flagMoves } from './flagged-moves.ts';

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
