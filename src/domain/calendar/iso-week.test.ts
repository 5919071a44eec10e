import { describe, expect, it } from 'vitest';
import { isoWeekOf, mondayOfIsoWeek } from './iso-week.ts';

describe('ISO weeks', () => {
  it.each([
    ['2026-11-16', '2026-W47'],
    ['2026-11-22', '2026-W47'],
    ['2025-12-29', '2026-W01'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2021-01-01', '2020-W53'],
  ])('the week of %s is %s', (day, week) => {
    expect(isoWeekOf(day)).toBe(week);
  });

  it('begin on the Monday of the named week', () => {
    expect(mondayOfIsoWeek('2026-W47')).toBe('2026-11-16');
    expect(mondayOfIsoWeek('2026-W01')).toBe('2025-12-29');
    expect(mondayOfIsoWeek('2026-W53')).toBe('2026-12-28');
  });

  it.each([
    '2026-W54',
    '2025-W53',
    '2026-W00',
    '2026-W99',
    '2026W47',
    '2026-w47',
    '2026-W4',
    '2026-11-16',
    '',
  ])('"%s" names no week', (text) => {
    expect(mondayOfIsoWeek(text)).toBeNull();
  });
});
