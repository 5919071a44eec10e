import { describe, expect, it } from 'vitest';
import { plainTable, underlined, wrapped } from './plain.ts';

describe('plain text', () => {
  it('wraps between words, and within a word only where it is longer than a line', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('a 123456789', 4)).toEqual(['a', '1234', '5678', '9']);
    expect(wrapped('👍👍👍', 2)).toEqual(['👍👍', '👍']);
  });

  it('underlines a heading as long as it is', () => {
    expect(underlined('To BUY')).toEqual(['To BUY', '------']);
  });

  it('sets figures flush right, and a name of several lines above them', () => {
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

  it('keeps a table within 72 columns, whatever it is of', () => {
    const lines = plainTable([{ name: ['N'.repeat(200)], figures: ['1', '2'] }, null]);
    expect(Math.max(...lines.map((line) => line.length))).toBe(72);
  });
});
