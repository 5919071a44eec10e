import { expect, it } from 'vitest';
import { countOf, figureOf, writeNumber } from './number.ts';

it('groups thousands and writes a minus sign', () => {
  expect(writeNumber(1234567.891, 2)).toBe('1,234,567.89');
  expect(writeNumber(-1234.5, 1)).toBe('−1,234.5');
  expect(writeNumber(999, 0)).toBe('999');
  expect(writeNumber(1000, 0)).toBe('1,000');
  expect(writeNumber(0.1234567, 4)).toBe('0.1235');
});

it('adds a plus sign only on request', () => {
  expect(figureOf('changePercent', 0.6188, { signed: true, suffix: '%' })).toEqual({
    value: 0.62,
    text: '+0.62%',
  });
  expect(figureOf('changePercent', -0.004, { signed: true, suffix: '%' })).toEqual({
    value: 0,
    text: '0.00%',
  });
  expect(figureOf('macd', -1.135)).toEqual({ value: -1.14, text: '−1.14' });
});

it('shows a dash for an unknown number and for a number with too many digits', () => {
  const unknown = { value: null, text: '—' };
  expect(figureOf('price', null)).toEqual(unknown);
  expect(figureOf('price', 1e300)).toEqual(unknown);
  expect(figureOf('price', Number.NaN)).toEqual(unknown);
  expect(countOf(null)).toEqual(unknown);
  expect(countOf(12345)).toEqual({ value: 12345, text: '12,345' });
});
