import { describe, expect, it } from 'vitest';
import { displayAddress, isDeliverable, isSender, printable, webAddress } from './safe-text.ts';

it.each([
  'reader@example.com',
  'first.last+signal@mail.example.co.uk',
  "o'neill@example.com",
  'leser@münchen.example',
  'δοκιμή@παράδειγμα.example',
])('accepts %s as a recipient', (address) => {
  expect(isDeliverable(address)).toBe(true);
});

it.each([
  '',
  'reader',
  '@example.com',
  'reader@',
  'reader@localhost',
  'reader@.example',
  'reader@example.',
  'a@b@example.com',
  'two words@example.com',
  'reader@example.com\r\nBcc: other@example.com',
  'reader\u0000@example.com',
  'reader\u200b@example.com',
  ...['reader@example.com\nX: y', 'reader,other@example.com', 'a@b.com;c@b.com', 'list:a@example.com;'],
  '<reader@example.com>',
  '"reader"@example.com',
  'reader@exa mple.com',
  'reader@xn--a.example',
  `${'r'.repeat(320)}@example.com`,
])('rejects %j as a recipient', (address) => {
  expect(isDeliverable(address)).toBe(false);
});

it.each([
  ['signal@example.org', true],
  ['signal@localhost', true],
  ['signal@münchen.example', true],
  ['sägnal@example.org', false],
  ['signal@example', false],
  ['a@example.org,b@example.org', false],
  ['a@b@example.org', false],
  [`${'a'.repeat(250)}@example.org`, false],
])('accepts %s as a sender: %s', (address, may) => {
  expect(isSender(address)).toBe(may);
});

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

describe('printable text', () => {
  it('is on one line', () => {
    expect(printable(' a\r\nBcc: b\tc\u2028d\u0000e\u00a0f ')).toBe('a Bcc: b c d e f');
  });

  it('has no invisible or direction-changing characters', () => {
    expect(printable('\u202eevil\u202c \u2066x\u2069 a\u200bb\u00adc\ufeff \u{e0041}')).toBe('evil x abc');
    expect(printable('half \ud83d of a sign')).toBe('half of a sign');
  });

  it('keeps characters of every script', () => {
    expect(printable('Zürich 東京 👍🏽 −3.2 — “x”')).toBe('Zürich 東京 👍🏽 −3.2 — “x”');
  });

  it('is returned as a copy of the data with every text made printable', () => {
    const data = { name: 'a\nb', list: [{ text: '\u202ec' }, null, 3], none: null, is: true };
    expect(printable(data)).toEqual({ name: 'a b', list: [{ text: 'c' }, null, 3], none: null, is: true });
    expect(data.name).toBe('a\nb');
  });
});
