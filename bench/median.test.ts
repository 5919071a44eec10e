import { expect, it } from 'vitest';
import { median } from './median.ts';

it('is the middle of an odd number of values, in whatever order they come', () => {
  expect(median([9, 1, 100])).toBe(9);
});

it('is between the middle two of an even number', () => {
  expect(median([1, 10, 4, 100])).toBe(7);
});

it('is none of no values, or where one of them could not be measured', () => {
  expect(median([])).toBeNaN();
  expect(median([1, Number.NaN, 3])).toBeNaN();
});
