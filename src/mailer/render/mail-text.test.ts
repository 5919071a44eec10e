import { describe, expect, it } from 'vitest';
import {
  displayAddress,
  plainTable,
  printable,
  printableText,
  underlined,
  webAddress,
  wrapped,
} from './mail-text.ts';

describe('a URL in a mail', () => {
  it('is absolute and ASCII, without characters that end a quoted attribute', () => {
    expect(webAddress('https://münchen.example/a b"<c>')).toBe(
      'https://xn--mnchen-3ya.example/a%20b%22%3Cc%3E',
    );
  });

  it.each(['javascript:alert(1)', '/unsubscribe/x', 'data:text/html,x', 'mailto:a@b.c', ''])(
    'must not be %j',
    (address) => {
      expect(() => webAddress(address)).toThrow('an absolute http(s) URL');
    },
  );

  it('is displayed without scheme and trailing slash', () => {
    expect(displayAddress('https://barometer.example')).toBe('barometer.example');
    expect(displayAddress('http://127.0.0.1:3000/markets/')).toBe('127.0.0.1:3000/markets');
  });
});

describe('plain text', () => {
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
});

describe('printable text', () => {
  it('is on one line', () => {
    expect(printableText(' a\r\nBcc: b\tc\u2028d\u0000e\u00a0f ')).toBe('a Bcc: b c d e f');
  });

  it('has no invisible or direction-changing characters', () => {
    expect(printableText('\u202eevil\u202c \u2066x\u2069 a\u200bb\u00adc\ufeff \u{e0041}')).toBe(
      'evil x abc',
    );
    expect(printableText('half \ud83d of a sign')).toBe('half of a sign');
  });

  it('keeps characters of every script', () => {
    expect(printableText('Zürich 東京 👍🏽 −3.2 — “x”')).toBe('Zürich 東京 👍🏽 −3.2 — “x”');
  });

  it('is returned as a copy of the data with every text made printable', () => {
    const data = { name: 'a\nb', list: [{ text: '\u202ec' }, null, 3], none: null, is: true };
    expect(printable(data)).toEqual({ name: 'a b', list: [{ text: 'c' }, null, 3], none: null, is: true });
    expect(data.name).toBe('a\nb');
  });
});
