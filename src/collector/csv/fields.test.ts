import { describe, expect, it } from 'vitest';
import { readDecimal } from './fields.ts';

const read = (text: string) => {
  const bytes = new TextEncoder().encode(`x${text}y`);
  return readDecimal(bytes, 1, bytes.length - 1);
};

describe('readDecimal', () => {
  it.each([
    '0',
    '7',
    '15.07',
    '0.1',
    '0.30000000000000004',
    '123456789012345',
    '1234567890123456789',
    '9007199254740993',
    '-3.25',
    '+2',
    '1e-7',
    '6.02E23',
    '5.',
    '.5',
    '00012.50',
    '4.35',
    '2.675',
    '179769313486231.57',
    '0.0000000000000000000001',
  ])('reads %s as JavaScript does', (text) => {
    expect(read(text)).toBe(Number(text));
  });

  it('parses prices with two and six decimals as JavaScript does', () => {
    for (let cents = 1; cents < 200_000; cents += 37) {
      expect(read((cents / 100).toFixed(2))).toBe(cents / 100);
      expect(read((cents / 7).toFixed(6))).toBe(Number((cents / 7).toFixed(6)));
    }
  });

  it.each(['', '.', '-', '1.2.3', '1,2', 'abc', '0x10', 'Infinity', 'NaN', '1e', '1 2', '1e999', '--1'])(
    'refuses %j',
    (text) => {
      expect(read(text)).toBeNaN();
    },
  );
});
