import { describe, expect, it } from 'vitest';
import { newestSignal, nextSignal, parseSignalTime, weekOf } from './week.ts';

const SATURDAY_NINE = { weekday: 6, minutes: 540 };
const iso = ({ week, at }: { week: string; at: number }) => `${week} ${new Date(at).toISOString()}`;
const newest = (now: string, time = SATURDAY_NINE) => iso(newestSignal(Date.parse(now), time));
const next = (now: string, time = SATURDAY_NINE) => iso(nextSignal(Date.parse(now), time));

describe('the time of the signal', () => {
  it.each([
    ['Sat 09:00', { weekday: 6, minutes: 540 }],
    [' sAT  9:05 ', { weekday: 6, minutes: 545 }],
    ['SUN 00:00', { weekday: 7, minutes: 0 }],
    ['mon 09:29', { weekday: 1, minutes: 569 }],
    ['Fri 16:15', { weekday: 5, minutes: 975 }],
    ['Sun 23:59', { weekday: 7, minutes: 1439 }],
    ['Sat 12:00', { weekday: 6, minutes: 720 }],
  ])('%s is parsed', (text, time) => {
    expect(parseSignalTime(text)).toEqual(time);
  });

  it.each([
    ...['', 'Sat', '09:00', 'Saturday 09:00', 'Sat 24:00', 'Sat 9:60', 'Sat 9', 'Sat 09:00:00', 'Foo 09:00'],
    ...['Sat -1:00', 'Sat 09.00', 'Sat 09:00 Sun 09:00', 'Sat\n09:00\nx', 'Sat 9 :00', 'Sat ０９:00'],
    ...['Mon 09:30', 'Wed 12:00', 'Fri 16:00', 'Fri 16:14', 'tue 9:30'],
  ])('%j is rejected', (text) => {
    expect(parseSignalTime(text)).toBeNull();
  });
});

describe('the week of a signal', () => {
  it('is its Monday until the end of Sunday', () => {
    for (const now of ['2026-11-16T05:00:00Z', '2026-11-21T14:00:00Z', '2026-11-23T04:59:59Z']) {
      expect(weekOf(Date.parse(now))).toBe('2026-11-16');
    }
    expect(weekOf(Date.parse('2026-11-16T04:59:59Z'))).toBe('2026-11-09');
    expect(weekOf(Date.parse('2026-11-23T05:00:00Z'))).toBe('2026-11-23');
  });

  it('has its signal due at the set time', () => {
    expect(newest('2026-11-21T13:59:59.999Z')).toBe('2026-11-09 2026-11-14T14:00:00.000Z');
    expect(newest('2026-11-21T14:00:00Z')).toBe('2026-11-16 2026-11-21T14:00:00.000Z');
    expect(next('2026-11-21T13:59:59.999Z')).toBe('2026-11-16 2026-11-21T14:00:00.000Z');
    expect(next('2026-11-21T14:00:00Z')).toBe('2026-11-23 2026-11-28T14:00:00.000Z');
    expect(newest('2026-11-22T23:00:00Z')).toBe('2026-11-16 2026-11-21T14:00:00.000Z');
    expect(newest('2026-11-23T12:00:00Z')).toBe('2026-11-16 2026-11-21T14:00:00.000Z');
  });

  it('has its signal due at 9:00 New York time before and after a clock change', () => {
    // Clocks in New York go forward on Sunday 14 March 2027, and back on Sunday 7 November 2027.
    expect(newest('2027-03-13T20:00:00Z')).toBe('2027-03-08 2027-03-13T14:00:00.000Z');
    expect(newest('2027-03-20T20:00:00Z')).toBe('2027-03-15 2027-03-20T13:00:00.000Z');
    expect(newest('2027-11-06T20:00:00Z')).toBe('2027-11-01 2027-11-06T13:00:00.000Z');
    expect(newest('2027-11-13T20:00:00Z')).toBe('2027-11-08 2027-11-13T14:00:00.000Z');
  });

  it('has its signal due once if a clock change skips or repeats the time', () => {
    const night = { weekday: 7, minutes: 150 };
    expect(newest('2027-03-14T07:00:00Z', night)).toBe('2027-03-08 2027-03-14T06:30:00.000Z');
    const twice = { weekday: 7, minutes: 90 };
    expect(newest('2027-11-07T06:45:00Z', twice)).toBe('2027-11-01 2027-11-07T05:30:00.000Z');
    expect(next('2027-11-07T06:45:00Z', twice)).toBe('2027-11-08 2027-11-14T06:30:00.000Z');
  });

  it('begins 7 days before the next week, at each hour', () => {
    const start = Date.parse('2026-10-25T00:00:00Z');
    for (let hour = 0; hour < 24 * 28; hour += 1) {
      const now = start + hour * 3_600_000;
      const one = newestSignal(now, SATURDAY_NINE);
      const other = nextSignal(now, SATURDAY_NINE);
      expect(one.at <= now && now < other.at).toBe(true);
      expect(Date.parse(other.week) - Date.parse(one.week)).toBe(7 * 86_400_000);
    }
  });
});
