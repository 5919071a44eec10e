import { expect, test } from 'vitest';
import { carryForward } from './carry-forward.ts';

test('an observation stands in for the sessions after it, but not for ever', () => {
  const carried = carryForward(Float64Array.of(Number.NaN, 4, Number.NaN, Number.NaN, Number.NaN, 5), 2);
  expect([...carried]).toEqual([Number.NaN, 4, 4, 4, Number.NaN, 5]);
});

test('by default it stands in for five sessions', () => {
  const carried = carryForward(Float64Array.from({ length: 8 }, (_, at) => (at === 0 ? 3 : Number.NaN)));
  expect([...carried]).toEqual([3, 3, 3, 3, 3, 3, Number.NaN, Number.NaN]);
});
