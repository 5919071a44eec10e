import { expect, test } from 'vitest';
import { firstPresent, preferExchange } from './universe.ts';

const NONE = Number.NaN;

test('prefers the exchange’s reading to that of the members', () => {
  const { value, universe } = preferExchange(
    Float64Array.of(1, NONE, NONE),
    Float64Array.of(5, 6, NONE),
    'S&P 500',
  );
  expect([...value]).toEqual([1, 6, NONE]);
  expect(universe).toEqual(['NYSE', 'S&P 500', null]);
});

test('takes the first available reading', () => {
  const first = firstPresent(
    Float64Array.of(NONE, 1, NONE),
    Float64Array.of(NONE, 2, 3),
    Float64Array.of(4, 5, 6),
  );
  expect([...first]).toEqual([4, 1, 3]);
});
