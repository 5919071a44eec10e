import { expect, test } from 'vitest';
import { snippetsOf } from './share-menu.tsx';

test('resolves the addresses of link, badge and card relative to the page', () => {
  expect(snippetsOf('https://example.org/market/')).toEqual([
    { name: 'Link', text: 'https://example.org/market/' },
    {
      name: 'Badge code',
      text: '<a href="https://example.org/market/"><img src="https://example.org/market/badge.svg" alt="Market signal" height="20"></a>',
    },
    {
      name: 'Embed code',
      text: '<iframe src="https://example.org/market/embed" title="Market signal" width="360" height="260" style="border:0" loading="lazy"></iframe>',
    },
  ]);
});

test('keeps a hostile address inside its attribute', () => {
  for (const { name, text } of snippetsOf('https://example.org/a"><script>&copy/')) {
    if (name !== 'Link') expect(text).not.toMatch(/"><script|&copy/);
  }
});
