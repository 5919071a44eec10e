import { expect, it } from 'vitest';
import { median } from './median.ts';

it('the median is the middle of an odd number of values in any order', () => {
  expect(median([9, 1, 100])).toBe(9);
});

it('the median of an even number of values is the mean of the middle two', () => {
  expect(median([1, 10, 4, 100])).toBe(7);
});

it('the median is NaN without values, or if a value is NaN', () => {
  expect(median([])).toBeNaN();
  expect(median([1, Number.NaN, 3])).toBeNaN();
});
