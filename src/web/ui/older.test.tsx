import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Older } from './older.tsx';

const asOf = { session: '2026-11-12', instant: 0, text: 'Thu 12 Nov 2026, close' };

test('names the session only if a panel is older than the page', () => {
  const older = 'As of Thu 12 Nov 2026, close';
  expect(renderToStaticMarkup(<Older asOf={{ ...asOf, older }} />)).toContain(older);
  expect(renderToStaticMarkup(<Older asOf={{ ...asOf, older: null }} />)).toBe('');
});
