import { expect, it } from 'vitest';
import { asOf, writeClock } from './day.ts';

it.each([
  // Clocks go back at 2:00 on 1 November and forward at 2:00 on 8 March.
  ['2026-11-01T05:59:00Z', '01:59'],
  ['2026-11-01T06:00:00Z', '01:00'],
  ['2026-11-01T16:00:00Z', '11:00'],
  ['2026-11-02T04:30:00Z', '23:30'],
  ['2026-03-08T06:59:00Z', '01:59'],
  ['2026-03-08T07:00:00Z', '03:00'],
  ['2026-03-08T16:00:00Z', '12:00'],
])('on the day of a clock change, %s is %s in New York', (instant, text) => {
  expect(writeClock(Date.parse(instant))).toBe(text);
});

it('names the day and the time of a row from the evening of a clock change', () => {
  expect(asOf('2026-11-02T04:30:00Z').text).toBe('Sun 1 Nov 2026, 23:30 New York time');
});
