import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dataAgeView } from './data-age-view.ts';
import { marketHoursView } from './market-hours-view.ts';
import type { DataAgeView } from './model.ts';
import { marketStatus, staleText } from './page-texts.ts';

/** The age text for rows of Fri 13 Nov 2026, close, on a page built at this time. */
function ageAt(made: string): DataAgeView {
  const age = dataAgeView(FULL, Date.parse(made));
  if (age === null) throw new Error('The rows have an age.');
  return age;
}
const said = (made: string, now: string = made) => staleText(ageAt(made), Date.parse(now));

describe('the text about old numbers', () => {
  it('is null over a weekend and while a close can still be unpublished', () => {
    expect(said('2026-11-13T21:00:00Z')).toBeNull();
    expect(said('2026-11-15T23:00:00Z')).toBeNull();
    expect(said('2026-11-16T22:29:59Z')).toBeNull();
    expect(said('2026-11-16T22:30:00Z')).toBe('1 session behind');
    expect(said('2026-11-18T22:30:00Z')).toBe('3 sessions behind');
  });

  it('does not depend on when the page was built', () => {
    for (const now of ['2026-11-16T22:29:59Z', '2026-11-16T22:30:00Z', '2026-11-30T12:00:00Z']) {
      for (const made of ['2026-11-13T21:00:00Z', '2026-11-15T12:00:00Z', '2026-11-16T22:10:00Z']) {
        expect(said(made, now), `made ${made}, now ${now}`).toBe(said(now));
      }
    }
  });

  it('ignores holidays and counts a half-day from its early close', () => {
    expect(said('2026-11-13T21:00:00Z', '2026-11-26T23:30:00Z')).toBe('8 sessions behind');
    expect(said('2026-11-13T21:00:00Z', '2026-11-27T19:29:59Z')).toBe('8 sessions behind');
    expect(said('2026-11-13T21:00:00Z', '2026-11-27T19:30:00Z')).toBe('9 sessions behind');
  });

  it('says "at least" after the last known session', () => {
    expect(said('2026-11-13T21:00:00Z', '2027-06-01T12:00:00Z')).toBe('At least 10 sessions behind');
  });

  it('counts rows of an open session as fresh until its close is overdue', () => {
    const metrics = {
      market_exposure: 1,
      overall_strength: 2,
      source: null,
      created_at: '2026-11-13T15:00:00Z',
    };
    for (const made of ['2026-11-13T15:10:00Z', '2026-11-13T21:10:00Z', '2026-11-15T12:00:00Z']) {
      const age = dataAgeView({ ...EMPTY, metrics }, Date.parse(made));
      if (age === null) throw new Error('The rows have an age.');
      const at = (now: string) => staleText(age, Math.max(Date.parse(now), Date.parse(made)));
      if (made < '2026-11-14') expect(at('2026-11-13T22:29:59Z'), made).toBeNull();
      expect(at('2026-11-13T22:30:00Z'), made).toBe('1 session behind');
      expect(at('2026-11-16T22:30:00Z'), made).toBe('2 sessions behind');
    }
  });
});

/** The text at `now` on a page built at `made`. */
const statusSaid = (made: string, now: string = made) =>
  marketStatus(marketHoursView(Date.parse(made)), Date.parse(now));

describe('the market’s state', () => {
  it.each([
    ['2026-11-20T14:29:59Z', 'Market closed until Fri 20 Nov, 09:30 New York time'],
    ['2026-11-20T14:30:00Z', 'Market open, closes at 16:00 New York time'],
    ['2026-11-20T20:59:59Z', 'Market open, closes at 16:00 New York time'],
    ['2026-11-20T21:00:00Z', 'Market closed until Mon 23 Nov, 09:30 New York time'],
    ['2026-11-22T12:00:00Z', 'Market closed until Mon 23 Nov, 09:30 New York time'],
  ])('%s', (now, text) => {
    expect(statusSaid(now)).toBe(text);
  });

  it('closes at 13:00 on a half-day, and does not open on a holiday', () => {
    expect(statusSaid('2026-11-25T21:00:00Z')).toBe('Market closed until Fri 27 Nov, 09:30 New York time');
    expect(statusSaid('2026-11-26T15:00:00Z')).toMatch(/^Market closed/);
    expect(statusSaid('2026-11-27T15:00:00Z')).toBe('Market open, closes at 13:00 New York time');
    expect(statusSaid('2026-11-27T18:00:00Z')).toBe('Market closed until Mon 30 Nov, 09:30 New York time');
  });

  it('follows the clock of New York, not UTC', () => {
    expect(statusSaid('2026-03-06T14:00:00Z')).toMatch(/^Market closed/);
    expect(statusSaid('2026-03-09T14:00:00Z')).toMatch(/^Market open/);
  });

  it('is right until the last known session and empty after it', () => {
    const made = '2026-12-23T15:00:00Z';
    const { sessions } = marketHoursView(Date.parse(made));
    expect(sessions.map(({ opensText, closesText }) => `${opensText} to ${closesText}`)).toEqual([
      'Wed 23 Dec, 09:30 to 16:00',
      'Thu 24 Dec, 09:30 to 13:00',
      'Mon 28 Dec, 09:30 to 16:00',
      'Tue 29 Dec, 09:30 to 16:00',
      'Wed 30 Dec, 09:30 to 16:00',
    ]);
    expect(statusSaid(made, '2026-12-24T17:59:59Z')).toMatch(/^Market open/);
    expect(statusSaid(made, '2026-12-24T18:00:00Z')).toBe(
      'Market closed until Mon 28 Dec, 09:30 New York time',
    );
    expect(statusSaid(made, '2026-12-30T20:59:59Z')).toMatch(/^Market open/);
    expect(statusSaid(made, '2026-12-30T21:00:00Z')).toBeNull();
  });
});
