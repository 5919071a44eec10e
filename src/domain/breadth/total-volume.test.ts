import { expect, test } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { totalVolume } from './total-volume.ts';

test('adds up the known volumes, and is NaN if none is known', () => {
  const bars = barsOf({ A: [1, 2, null], B: [1, null, null] }, { volumes: { A: 10, B: 5 } });
  expect([...totalVolume(bars)]).toEqual([15, 10, Number.NaN]);
});
