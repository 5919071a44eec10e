import { expect, test } from 'vitest';
import { sameProps } from './page-context.tsx';

test('are equal for deeply equal models', () => {
  expect(sameProps({ view: { value: 1, items: ['a'] } }, { view: { value: 1, items: ['a'] } })).toBe(true);
  expect(sameProps({ view: { value: 1 } }, { view: { value: 2 } })).toBe(false);
  expect(sameProps({ view: { value: null } }, { view: { value: 0 } })).toBe(false);
});
