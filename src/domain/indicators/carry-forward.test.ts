import { expect, test } from 'vitest';
import { carryForward } from './carry-forward.ts';

test('fills a limited number of sessions after an observation', () => {
  const carried = carryForward(Float64Array.of(Number.NaN, 4, Number.NaN, Number.NaN, Number.NaN, 5), 2);
  expect([...carried]).toEqual([Number.NaN, 4, 4, 4, Number.NaN, 5]);
});

test('fills five sessions by default', () => {
  const carried = carryForward(Float64Array.from({ length: 8 }, (_, at) => (at === 0 ? 3 : Number.NaN)));
  expect([...carried]).toEqual([3, 3, 3, 3, 3, 3, Number.NaN, Number.NaN]);
});
