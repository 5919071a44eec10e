import { describe, expect, it } from 'vitest';
import { printable, printableText } from './mail-text.ts';

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
