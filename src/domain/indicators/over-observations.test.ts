import { expect, test } from 'vitest';
import { overObservations } from './over-observations.ts';

test('returns NaN for a session without an observation', () => {
  const differences = overObservations(Float64Array.of(1, Number.NaN, 3, Number.NaN, 7), (observed) =>
    observed.map((value, at) => value - (observed[at - 1] ?? Number.NaN)),
  );
  expect([...differences]).toEqual([Number.NaN, Number.NaN, 2, Number.NaN, 4]);
});

test('is NaN for a series without observations', () => {
  expect([...overObservations(Float64Array.of(Number.NaN, Number.NaN), (observed) => observed)]).toEqual([
    Number.NaN,
    Number.NaN,
  ]);
});
