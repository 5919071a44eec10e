import { expect, test } from 'vitest';
import { ageText, agoText, countdownText, dayAndTime, utcText, whenText } from './clock-text.ts';

test('the countdown runs from sixty minutes to zero in seconds [S2.5] [S9.2]', () => {
  expect(countdownText(3_600_000)).toBe('60:00');
  expect(countdownText(3_599_999)).toBe('60:00');
  expect(countdownText(3_599_000)).toBe('59:59');
  expect(countdownText(61_000)).toBe('1:01');
  expect(countdownText(1)).toBe('0:01');
  expect(countdownText(0)).toBe('0:00');
  expect(countdownText(-5000)).toBe('0:00');
});

test('shows an age in its largest full unit', () => {
  expect([0, 60_000, 3_599_000, 3_600_000, 86_400_000 * 3].map(ageText)).toEqual([
    'less than a minute',
    '1 minute',
    '59 minutes',
    '1 hour',
    '3 days',
  ]);
});

test('rounds days, so that an age agrees with the dates', () => {
  const close = Date.parse('2026-11-25T21:00:00Z');
  const ages = [
    '2026-11-26T22:00:00Z',
    '2026-11-27T08:00:00Z',
    '2026-11-27T13:00:00Z',
    '2026-11-28T08:00:00Z',
  ];
  expect(ages.map((at) => agoText(Date.parse(at) - close))).toEqual([
    '1 day ago',
    '1 day ago',
    '2 days ago',
    '2 days ago',
  ]);
});

test('shortens an age', () => {
  expect([59_999, 60_000, 420_000, 7_200_000, 86_400_000].map(agoText)).toEqual([
    'just now',
    '1 min ago',
    '7 min ago',
    '2 hours ago',
    '1 day ago',
  ]);
});

test('shows the day of an instant unless it is today', () => {
  const noon = new Date(2026, 10, 20, 12, 0).getTime();
  const early = new Date(2026, 10, 20, 0, 5).getTime();
  const evening = new Date(2026, 10, 19, 23, 59).getTime();
  expect(whenText(early, noon)).toBe('00:05');
  expect(whenText(evening, noon)).toBe('Thu 19 Nov at 23:59');
  expect(dayAndTime(early)).toBe('Fri 20 Nov at 00:05');
});

test('uses UTC without a visitor’s clock', () => {
  expect(utcText(Date.parse('2026-11-20T14:05:59.999Z'))).toBe('Fri 20 Nov 2026 14:05 UTC');
  expect(utcText(Date.parse('2026-01-02T00:00:00Z'))).toBe('Fri 02 Jan 2026 00:00 UTC');
});
