import { expect, test } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { totalVolume } from './total-volume.ts';

test('total volume is the sum of the known volumes, or NaN without a known volume', () => {
  const bars = barsOf({ A: [1, 2, null], B: [1, null, null] }, { volumes: { A: 10, B: 5 } });
  expect([...totalVolume(bars)]).toEqual([15, 10, Number.NaN]);
});
