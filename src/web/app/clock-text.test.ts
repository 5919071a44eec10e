import { expect, test } from 'vitest';
import { ageText, countdownText } from './clock-text.ts';

test('the countdown runs from sixty minutes to nothing, second by second', () => {
  expect(countdownText(3_600_000)).toBe('60:00');
  expect(countdownText(3_599_999)).toBe('60:00');
  expect(countdownText(3_599_000)).toBe('59:59');
  expect(countdownText(61_000)).toBe('1:01');
  expect(countdownText(1)).toBe('0:01');
  expect(countdownText(0)).toBe('0:00');
  expect(countdownText(-5000)).toBe('0:00');
});

test('an age is told in its largest full unit', () => {
  expect([0, 60_000, 3_599_000, 3_600_000, 86_400_000 * 3].map(ageText)).toEqual([
    'less than a minute',
    '1 minute',
    '59 minutes',
    '1 hour',
    '3 days',
  ]);
});
