import { expect, test } from 'vitest';
import { weeklyBars } from './weekly-bars.ts';

test('use the last close of a week, on any day', () => {
  const sessions = ['2020-01-02', '2020-01-03', '2020-01-06', '2020-01-09', '2020-01-13'];
  const { close, weekOf } = weeklyBars(sessions, Float64Array.of(1, 2, 3, Number.NaN, 5));
  expect([...close]).toEqual([2, 3, 5]);
  expect([...weekOf]).toEqual([0, 0, 1, -1, 2]);
});

test('omit a week without a close', () => {
  const { close } = weeklyBars(['2020-01-03', '2020-01-10', '2020-01-17'], Float64Array.of(1, Number.NaN, 3));
  expect([...close]).toEqual([1, 3]);
});
