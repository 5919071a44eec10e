import { expect, test } from 'vitest';
import { meanOfPresent } from './mean-of-present.ts';

test('averages the available values, or returns NaN if too few are available', () => {
  const mean = meanOfPresent(
    [Float64Array.of(1, 1, Number.NaN), Float64Array.of(3, Number.NaN, Number.NaN), Float64Array.of(8, 3, 5)],
    2,
  );
  expect([...mean]).toEqual([4, 2, Number.NaN]);
});
