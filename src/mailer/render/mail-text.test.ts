import { describe, expect, it } from 'vitest';
import { displayAddress, webAddress } from './mail-text.ts';

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
