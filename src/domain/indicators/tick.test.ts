import { expect, test } from 'vitest';
import { tickProxy } from './tick.ts';

test('scales the difference of upticks and downticks to the issues of the exchange', () => {
  expect(tickProxy(Float64Array.of(11, 11, 9, 10), Float64Array.of(10, 10, 10, 10))).toBe(700);
});

test('excludes a member without both closes', () => {
  expect(tickProxy(Float64Array.of(11, Number.NaN), Float64Array.of(10, 10))).toBe(2800);
});

test('is null without any member', () => {
  expect(tickProxy(Float64Array.of(Number.NaN), Float64Array.of(10))).toBeNull();
  expect(tickProxy(new Float64Array(), new Float64Array())).toBeNull();
});
