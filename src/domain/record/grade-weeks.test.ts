import { describe, expect, it } from 'vitest';
import { newestClosedSession, sessionClose, sessionsBetween } from '../calendar/sessions.ts';
import { type Close, type DecidedWeek, entrySessionOf, exitSessionOf, gradeWeeks } from './grade-weeks.ts';

/** Consecutive weeks from Mon 5 Jan 2026 on, each decided on its Saturday at 9:00 in New York (winter time). */
const decided = (count: number, market = 'actual'): DecidedWeek[] =>
  Array.from({ length: count }, (_, at) => {
    const monday = Date.UTC(2026, 0, 5 + 7 * at);
    return {
      week: new Date(monday).toISOString().slice(0, 10),
      decidedAt: monday + 5 * 86_400_000 + 14 * 3_600_000,
      market,
    };
  });

/** A close for each session up to `last`: 1000 in the first session, one point more in each later session. */
const closesThrough = (last: string, market = 'actual'): Close[] =>
  sessionsBetween('2026-01-02', last).map((session, at) => ({ session, price: 1000 + at, market }));

const upTo = (last: string, without: readonly string[] = []) => ({
  closes: closesThrough(last).filter(({ session }) => !without.includes(session)),
  newestSession: last,
});

const only = (weeks: readonly DecidedWeek[], given: Parameters<typeof gradeWeeks>[1], horizon = 1) =>
  gradeWeeks(weeks, given).filter(({ horizonWeeks }) => horizonWeeks === horizon);

describe('the entry of rule g2', () => {
  it('is the Monday after a Saturday decision, or Tuesday if the exchange is closed', () => {
    expect(entrySessionOf(Date.parse('2026-01-10T14:00:00Z'))).toBe('2026-01-12');
    // Martin Luther King Day is Mon 19 Jan 2026.
    expect(entrySessionOf(Date.parse('2026-01-17T14:00:00Z'))).toBe('2026-01-20');
  });

  it('is strictly after the decision, to the millisecond', () => {
    // The exchange closes at 13:00 on Fri 27 Nov 2026.
    const bell = sessionClose('2026-11-27');
    expect(entrySessionOf(bell - 1)).toBe('2026-11-27');
    expect(entrySessionOf(bell)).toBe('2026-11-30');
    expect(newestClosedSession(bell)).toBe('2026-11-27');
  });
});

it('the exit of rule g2 is the first close after the same weekday and time in New York', () => {
  expect(exitSessionOf(Date.parse('2026-01-10T14:00:00Z'), 1)).toBe('2026-01-20');
  // 15:30 on Fri 27 Feb 2026 is before the close. The clocks change on Sun 8 Mar, so 15:30 is an hour earlier in UTC.
  expect(exitSessionOf(Date.parse('2026-02-27T20:30:00Z'), 4)).toBe('2026-03-27');
  expect(exitSessionOf(Date.parse('2026-02-27T21:00:00Z'), 4)).toBe('2026-03-30');
});

describe('rule g2', () => {
  it('grades from the first close after the decision to the first one 1, 4 or 13 weeks later', () => {
    const [first] = decided(1);
    const grades = gradeWeeks(decided(14), upTo('2026-04-13')).filter(({ week }) => week === first?.week);
    // Sessions after Fri 2 Jan: Mon 12 Jan is the 6th, Tue 20 Jan the 11th, Mon 9 Feb the 25th, Mon 13 Apr the 68th.
    const ends = [
      [1, '2026-01-20', 1011],
      [4, '2026-02-09', 1025],
      [13, '2026-04-13', 1068],
    ] as const;
    expect(grades).toEqual(
      ends.map(([horizonWeeks, exitSession, exitClose]) => ({
        ...{ week: '2026-01-05', horizonWeeks, entrySession: '2026-01-12', entryClose: 1006 },
        ...{ exitSession, exitClose, changePercent: (exitClose / 1006 - 1) * 100, voidReason: null },
      })),
    );
  });

  it('grades no week before its exit session has closed', () => {
    expect(gradeWeeks(decided(2), upTo('2026-01-16'))).toEqual([]);
    expect(only(decided(2), upTo('2026-01-20'))).toHaveLength(1);
  });

  it('voids a window after ten sessions without a close', () => {
    const missing = ['2026-01-20'];
    expect(only(decided(1), upTo('2026-02-02', missing))).toEqual([]);
    // Tue 3 Feb is the tenth session after Tue 20 Jan.
    expect(only(decided(1), upTo('2026-02-03', missing))).toMatchObject([
      { changePercent: null, exitClose: null, voidReason: 'No S&P 500 close of 2026-01-20 is stored.' },
    ]);
  });

  it('grades two weeks that were decided before the same close over the same window', () => {
    const [first, second] = decided(2);
    if (first === undefined || second === undefined) throw new Error('two weeks are decided');
    const late = { ...first, decidedAt: second.decidedAt + 1 };
    expect(only([late, second], upTo('2026-01-26'))).toMatchObject([
      { week: '2026-01-05', entrySession: '2026-01-20', exitSession: '2026-01-26' },
      { week: '2026-01-12', entrySession: '2026-01-20', exitSession: '2026-01-26' },
    ]);
  });

  it('uses no close of another market', () => {
    const [first] = only(decided(2, 'simulated'), upTo('2026-03-02'));
    expect(first).toMatchObject({
      entryClose: null,
      voidReason: 'The stored S&P 500 close of 2026-01-12 is of another market than the signal.',
    });
  });
});
