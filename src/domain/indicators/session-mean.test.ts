import { expect, test } from 'vitest';
import { sessionMean } from './session-mean.ts';

const NONE = Number.NaN;

test('is the mean of the last n sessions, or NaN before the n-th', () => {
  expect([...sessionMean(Float64Array.of(1, 2, 6, 4), 3)]).toEqual([NONE, NONE, 3, 4]);
});

test('counts sessions from the first observation on', () => {
  expect([...sessionMean(Float64Array.of(NONE, NONE, 2, 4), 2)]).toEqual([NONE, NONE, NONE, 3]);
});

test('excludes gaps, and is NaN if most of the window is missing', () => {
  const values = Float64Array.of(2, NONE, 4, NONE, NONE, NONE);
  expect([...sessionMean(values, 4)]).toEqual([NONE, NONE, NONE, 3, NONE, NONE]);
});

test('is NaN without observations', () => {
  expect([...sessionMean(Float64Array.of(NONE, NONE), 2)]).toEqual([NONE, NONE]);
});
