import { expect, it } from 'vitest';
import { blockBootstrap } from './block-bootstrap.ts';
import { brier, pinball, qlike, skill } from './judgement.ts';
import { createLeastSquares } from './least-squares.ts';

it('QLIKE is 0 for an exact forecast and larger for one that is too low', () => {
  expect(qlike(0.01, 0.01)).toBe(0);
  expect(qlike(0.01, 0.02)).toBeCloseTo(4 - Math.log(4) - 1, 12);
  expect(qlike(0.01, 0.02)).toBeGreaterThan(qlike(0.02, 0.01));
});

it('the pinball loss weights misses by the level', () => {
  expect([pinball(10, 0.9, 12), pinball(10, 0.9, 9), pinball(10, 0.1, 12)]).toEqual([
    1.8,
    expect.closeTo(0.1),
    0.2,
  ]);
});

it('the Brier score is the squared distance from the event', () => {
  expect([brier(0.25, true), brier(0.25, false), brier(1, true)]).toEqual([0.5625, 0.0625, 0]);
});

it('skill is the part of the loss that is avoided', () => {
  expect([skill([1, 1], [2, 2]), skill([0], [3]), skill([4], [2])]).toEqual([0.5, 1, -1]);
  expect(skill([], [])).toBeNaN();
});

it('least squares finds exact coefficients, and none for terms that depend on each other', () => {
  const exact = createLeastSquares(3);
  const dependent = createLeastSquares(3);
  for (let at = 0; at < 9; at += 1) {
    exact.add([1, at, at * at], 2 - 3 * at + 0.5 * at * at);
    dependent.add([1, at, 2 * at], at);
  }
  expect(exact.coefficients()).toEqual([2, -3, 0.5].map((value) => expect.closeTo(value, 9)));
  expect(dependent.coefficients()).toBeNull();
  expect(createLeastSquares(2).coefficients()).toBeNull();
});

it('the block bootstrap draws whole blocks of 13 weeks, around the end', () => {
  const starts = [0.86 * 2 ** 32, 0.06 * 2 ** 32];
  let drawn: readonly number[] = [];
  const statistic = (indices: readonly number[]) => {
    drawn = indices;
    return indices.length;
  };
  let at = 0;
  expect(blockBootstrap(20, statistic, () => starts[at++ % 2] ?? 0)).toEqual({ low: 20, high: 20 });
  expect(drawn).toEqual([17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7]);
  expect(blockBootstrap(0, statistic)).toEqual({ low: Number.NaN, high: Number.NaN });
});
