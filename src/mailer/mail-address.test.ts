import { expect, it } from 'vitest';
import { isDeliverable, isSender } from './mail-address.ts';

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
