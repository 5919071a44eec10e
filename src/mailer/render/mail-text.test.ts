import { describe, expect, it } from 'vitest';
import { spokenAddress, webAddress } from './mail-text.ts';

describe('an address in a mail', () => {
  it('is absolute and ASCII, with nothing that ends a quoted attribute', () => {
    expect(webAddress('https://münchen.example/a b"<c>')).toBe(
      'https://xn--mnchen-3ya.example/a%20b%22%3Cc%3E',
    );
  });

  it.each(['javascript:alert(1)', '/unsubscribe/x', 'data:text/html,x', 'mailto:a@b.c', ''])(
    'is not %j',
    (address) => {
      expect(() => webAddress(address)).toThrow('an absolute address of the web');
    },
  );

  it('is said without what a browser adds to it', () => {
    expect(spokenAddress('https://barometer.example')).toBe('barometer.example');
    expect(spokenAddress('http://127.0.0.1:3000/markets/')).toBe('127.0.0.1:3000/markets');
  });
});
