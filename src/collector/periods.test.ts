import { describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { missedPeriods, newestPeriod, nextPeriod, periodsOf } from './periods.ts';

const at = (text: string) => Date.parse(text);
const MINUTE = 60_000;

/** The time in New York by the runtime's time zone database, independent of our calendar. */
const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
});
const shown = (session: string) => periodsOf(session).map((period) => clock.format(period).slice(11));

const FULL_DAY = ['10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:30', '20:00'];
const HALF_DAY = ['10:00', '11:00', '12:00', '13:30', '17:00'];

it.each([2024, 2025, 2026])(
  'the periods of a session are at the same New York times in every session of %i',
  (year) => {
    const halfDays = [];
    for (const session of sessionsBetween(`${year}-01-01`, `${year}-12-31`)) {
      const hours = shown(session);
      if (hours.length === HALF_DAY.length) halfDays.push(session);
      else expect(hours, session).toEqual(FULL_DAY);
      expect(periodsOf(session).every((period) => clock.format(period).startsWith(session))).toBe(true);
    }
    for (const session of halfDays) expect(shown(session), session).toEqual(HALF_DAY);
    const expected = {
      2024: ['2024-07-03', '2024-11-29', '2024-12-24'],
      2025: ['2025-07-03', '2025-11-28', '2025-12-24'],
      2026: ['2026-11-27', '2026-12-24'],
    };
    expect(halfDays).toEqual(expected[year as keyof typeof expected]);
  },
);

it('the newest due period is found for every period of a year by checks every 15 minutes', () => {
  const seen: number[] = [];
  const faults: number[] = [];
  const from = at('2025-01-01T05:00:00Z');
  const to = at('2026-01-01T05:00:00Z');
  for (let now = from; now < to; now += 15 * MINUTE) {
    const due = newestPeriod(now);
    const coming = nextPeriod(now);
    if (due > now || coming <= now || nextPeriod(due) !== coming) faults.push(now);
    if (due >= from && due !== seen.at(-1)) seen.push(due);
  }
  expect(faults).toEqual([]);
  expect(seen).toEqual(sessionsBetween('2025-01-01', '2025-12-31').flatMap(periodsOf));
  // 250 sessions, three of them half-days. 9 January was a day of mourning.
  expect(seen).toHaveLength(247 * 8 + 3 * 5);
  expect(seen.some((period) => clock.format(period).startsWith('2025-01-09'))).toBe(false);
});

describe('missed periods', () => {
  const done = at('2026-11-20T15:00:00Z');
  it('are those not completed half an hour after they were due', () => {
    expect(missedPeriods(done, at('2026-11-20T16:29:59Z'))).toBe(0);
    expect(missedPeriods(done, at('2026-11-20T16:30:00Z'))).toBe(1);
    expect(missedPeriods(done, at('2026-11-20T17:30:00Z'))).toBe(2);
  });

  it('do not include a weekend or a holiday', () => {
    const evening = at('2026-11-26T01:00:00Z');
    expect(missedPeriods(evening, at('2026-11-27T15:29:00Z'))).toBe(0);
    expect(missedPeriods(at('2020-01-01T00:00:00Z'), done)).toBe(200);
  });
});
