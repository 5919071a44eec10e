import { expect, it } from 'vitest';
import { median } from './median.ts';

it('is the middle of an odd number of values in any order', () => {
  expect(median([9, 1, 100])).toBe(9);
});

it('is the mean of the middle two of an even number', () => {
  expect(median([1, 10, 4, 100])).toBe(7);
});

it('is NaN without values, or if one of them is NaN', () => {
  expect(median([])).toBeNaN();
  expect(median([1, Number.NaN, 3])).toBeNaN();
});
