import { expect, test } from 'vitest';
import { COUNT_UP_MILLISECONDS, countUpAt } from './counted-number.tsx';

test('counts from 0 to exactly the target within 1.5 seconds', () => {
  expect(COUNT_UP_MILLISECONDS).toBe(1500);
  expect(countUpAt(0, 54)).toBe(0);
  expect(countUpAt(750, 54)).toBe(27);
  expect(countUpAt(1500, 54.3)).toBe(54.3);
  expect(countUpAt(9000, 54.3)).toBe(54.3);
});

test('takes sixty steps of 25 ms [S4.15]', () => {
  const shown = new Set(Array.from({ length: 1501 }, (_, elapsed) => countUpAt(elapsed, 60)));
  expect(shown.size).toBe(61);
  expect(countUpAt(24, 60)).toBe(0);
  expect(countUpAt(25, 60)).toBe(1);
});

test('shows 0 if the clock runs backwards', () => {
  expect(countUpAt(-5, 54)).toBe(0);
});
