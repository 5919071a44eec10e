import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { WithUnit } from './with-unit.tsx';

test('separates a unit from its number', () => {
  expect(renderToStaticMarkup(<WithUnit text="−0.65%" />)).toBe('−0.65<span class="unit">%</span>');
  expect(renderToStaticMarkup(<WithUnit text="1,234" />)).toBe('1,234');
  expect(renderToStaticMarkup(<WithUnit text="—" />)).toBe('—');
});
