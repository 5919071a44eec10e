import { expect, it } from 'vitest';
import { targetAt } from './target.ts';

it.each([
  ['at a weekend', '2024-03-09T12:00:00Z', '2024-03-08', true, '2024-03-08'],
  ['before the bell', '2024-03-08T14:29:00Z', '2024-03-07', true, '2024-03-07'],
  ['minutes after the opening bell', '2024-03-08T14:49:00Z', '2024-03-07', true, '2024-03-07'],
  ['once there is trade to see', '2024-03-08T14:50:00Z', '2024-03-08', false, '2024-03-07'],
  ['with the closing bell', '2024-03-08T21:00:00Z', '2024-03-08', false, '2024-03-07'],
  ['a second before the figures are final', '2024-03-08T21:29:59Z', '2024-03-08', false, '2024-03-07'],
  ['once they are', '2024-03-08T21:30:00Z', '2024-03-08', true, '2024-03-08'],
  ['in summer time, the Monday after', '2024-03-11T20:30:00Z', '2024-03-11', true, '2024-03-11'],
  ['on a half-day', '2024-11-29T18:30:00Z', '2024-11-29', true, '2024-11-29'],
  ['on a holiday', '2024-11-28T18:00:00Z', '2024-11-27', true, '2024-11-27'],
])('%s', (_, now, session, final, newestFinal) => {
  expect(targetAt(Date.parse(now))).toEqual({ session, final, newestFinal });
});
