import { expect, test } from 'vitest';
import { failureText } from './failure-text.ts';

test('shows the message of a failure, or a general message without one [S5.5] [S8.6]', () => {
  expect(failureText(new Error('This email is already subscribed'))).toBe('This email is already subscribed');
  expect(failureText(new Error(''))).toBe('Failed to subscribe. Please try again.');
  expect(failureText('odd')).toBe('Something went wrong');
});
