import { expect, it } from 'vitest';
import { plainTable, underlined, wrapped } from './mail-text.ts';

it('wraps between words and splits only words that are longer than a line', () => {
  expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapped('a 123456789', 4)).toEqual(['a', '1234', '5678', '9']);
  expect(wrapped('👍👍👍', 2)).toEqual(['👍👍', '👍']);
});

it('underlines a heading over its whole length', () => {
  expect(underlined('To BUY')).toEqual(['To BUY', '------']);
});

it('aligns numbers right, beside the last line of a name', () => {
  const rows = [
    { name: ['Input'], figures: ['Score', 'Points'] },
    null,
    { name: ['Breadth', '(in part)'], figures: ['9.5', '−12.0'] },
    { name: ['Sum'], figures: ['', '1.0'] },
  ];
  expect(plainTable(rows)).toEqual([
    'Input      Score  Points',
    '------------------------',
    'Breadth',
    '(in part)    9.5   −12.0',
    'Sum                  1.0',
  ]);
});

it('wraps long names to keep a table within 72 columns', () => {
  const lines = plainTable([{ name: ['N'.repeat(200)], figures: ['1', '2'] }, null]);
  expect(Math.max(...lines.map((line) => line.length))).toBe(72);
});
