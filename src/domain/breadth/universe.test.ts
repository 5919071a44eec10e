import { describe, expect, test } from 'vitest';
import { EXCHANGE_KEPT, exchangeSessions, firstPresent, oneSet } from './universe.ts';

const NONE = Number.NaN;

describe('the set of a session', () => {
  test('is the exchange from the first session with all of its readings', () => {
    expect(exchangeSessions(Float64Array.of(1, 2, 3), Float64Array.of(NONE, 5, 6))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('stays the exchange in a session without its counts', () => {
    expect(exchangeSessions(Float64Array.of(1, NONE, NONE, 4))).toEqual([true, true, true, true]);
  });

  test('is the members after a quarter without counts of the exchange', () => {
    const readings = Float64Array.from({ length: EXCHANGE_KEPT + 2 }, (_, at) => (at === 0 ? 1 : NONE));
    expect(exchangeSessions(readings).slice(-3)).toEqual([true, false, false]);
  });

  test('gives the reading and its name, never the reading of the other set', () => {
    const { value, universe } = oneSet(
      [false, true, true],
      Float64Array.of(1, NONE, 3),
      Float64Array.of(5, 6, 7),
      'S&P 500',
    );
    expect([...value]).toEqual([5, NONE, 3]);
    expect(universe).toEqual(['S&P 500', null, 'NYSE']);
  });
});

test('takes the first available reading', () => {
  const first = firstPresent(
    Float64Array.of(NONE, 1, NONE),
    Float64Array.of(NONE, 2, 3),
    Float64Array.of(4, 5, 6),
  );
  expect([...first]).toEqual([4, 1, 3]);
});
