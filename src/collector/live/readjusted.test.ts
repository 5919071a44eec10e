import { expect, it } from 'vitest';
import { isReadjusted } from './readjusted.ts';

const overlap = (held: readonly number[], given: readonly number[]) =>
  held.map((close, at) => ({
    session: `2024-03-${String(at + 1).padStart(2, '0')}`,
    held: close,
    given: given[at] ?? Number.NaN,
  }));

it.each([
  ['nothing differs', [50, 51, 52], [50, 51, 52], false],
  ['all are off by less than a thousandth', [50, 51, 52], [50.02, 51.02, 52.02], false],
  ['one close is corrected', [50, 51, 52], [50, 50, 52], false],
  ['two closes are corrected, each in its own way', [50, 51, 52], [49, 51, 54], false],
  ['all are halved by a split', [50, 51, 52], [25, 25.5, 26], true],
  ['those before a dividend are lower', [50, 51, 52, 50.5], [49.6, 50.59, 52, 50.5], true],
  ['a split of ten of a small price, rounded to the cent', [3.05, 3.14, 3.19], [0.31, 0.31, 0.32], true],
  ['those after a part of it that was read whole before', [25, 25.5, 52, 53], [25, 25.5, 26, 26.5], true],
  ['the only one there is differs', [50], [25], true],
  ['there is none', [], [], false],
])('%s', (_, held, given, readjusted) => {
  expect(isReadjusted(overlap(held, given))).toBe(readjusted);
});
