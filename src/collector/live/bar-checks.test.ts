import { expect, it } from 'vitest';
import { isReadjusted } from './bar-checks.ts';

const overlap = (stored: readonly number[], fetched: readonly number[]) =>
  stored.map((close, at) => ({
    session: `2024-03-${String(at + 1).padStart(2, '0')}`,
    stored: close,
    fetched: fetched[at] ?? Number.NaN,
  }));

it.each([
  ['nothing differs', [50, 51, 52], [50, 51, 52], false],
  ['all closes differ by less than a thousandth', [50, 51, 52], [50.02, 51.02, 52.02], false],
  ['one close is corrected', [50, 51, 52], [50, 50, 52], false],
  ['two closes are corrected by different ratios', [50, 51, 52], [49, 51, 54], false],
  ['a split halves all closes', [50, 51, 52], [25, 25.5, 26], true],
  ['the closes before a dividend are lower', [50, 51, 52, 50.5], [49.6, 50.59, 52, 50.5], true],
  ['a split of ten of a small price rounded to the cent', [3.05, 3.14, 3.19], [0.31, 0.31, 0.32], true],
  ['only the first closes are already readjusted', [25, 25.5, 52, 53], [25, 25.5, 26, 26.5], true],
  ['the only close differs', [50], [25], true],
  ['there is no overlap', [], [], false],
])('%s', (_, stored, fetched, readjusted) => {
  expect(isReadjusted(overlap(stored, fetched))).toBe(readjusted);
});
