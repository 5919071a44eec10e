import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Older, WithUnit } from './status.tsx';

const asOf = { session: '2026-11-12', instant: 0, text: 'Thu 12 Nov 2026, close' };

test('names the session only if a panel is older than the page', () => {
  const older = 'As of Thu 12 Nov 2026, close';
  expect(renderToStaticMarkup(<Older asOf={{ ...asOf, older }} />)).toContain(older);
  expect(renderToStaticMarkup(<Older asOf={{ ...asOf, older: null }} />)).toBe('');
});

test('separates a unit from its number', () => {
  expect(renderToStaticMarkup(<WithUnit text="−0.65%" />)).toBe('−0.65<span class="unit">%</span>');
  expect(renderToStaticMarkup(<WithUnit text="1,234" />)).toBe('1,234');
  expect(renderToStaticMarkup(<WithUnit text="—" />)).toBe('—');
});
