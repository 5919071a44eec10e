import { expect, it } from 'vitest';
import { countOf, figureOf, writeNumber } from './number.ts';

it.each([
  [1234567.891, 2, '1,234,567.89'],
  [-1234.5, 1, '−1,234.5'],
  [999, 0, '999'],
  [1000, 0, '1,000'],
  [0.1234567, 4, '0.1235'],
])('groups thousands and writes a minus sign: %d with %i decimals', (value, decimals, text) => {
  expect(writeNumber(value, decimals)).toBe(text);
});

it('adds a plus sign only on request', () => {
  const signed = { signed: true, suffix: '%' };
  expect(figureOf('changePercent', 0.6188, signed)).toEqual({ value: 0.62, text: '+0.62%' });
  expect(figureOf('changePercent', -0.004, signed)).toEqual({ value: 0, text: '0.00%' });
  expect(figureOf('macd', -1.135)).toEqual({ value: -1.14, text: '−1.14' });
});

it('shows a dash for an unknown number and for a number with too many digits', () => {
  const unknown = { value: null, text: '—' };
  for (const value of [null, 1e300, Number.NaN]) expect(figureOf('price', value)).toEqual(unknown);
  expect(countOf(null)).toEqual(unknown);
  expect(countOf(12345)).toEqual({ value: 12345, text: '12,345' });
});
