import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dataAgeView } from './data-age-view.ts';
import { marketHoursView } from './market-hours-view.ts';
import { marketStatus, staleText } from './page-texts.ts';

/** The text at `now` about the age of some rows, on a page built at `made`. */
function said(made: string, now: string = made, rows: typeof FULL = FULL) {
  const age = dataAgeView(rows, Date.parse(made));
  return age && staleText(age, Date.parse(now));
}

describe('the text about old numbers', () => {
  it.each([
    ['2026-11-13T21:00:00Z', null],
    ['2026-11-15T23:00:00Z', null],
    // A close can still be unpublished.
    ['2026-11-16T22:29:59Z', null],
    ['2026-11-16T22:30:00Z', '1 session behind'],
    ['2026-11-18T22:30:00Z', '3 sessions behind'],
    // A holiday does not count, and a half-day from its early close.
    ['2026-11-26T23:30:00Z', '8 sessions behind'],
    ['2026-11-27T19:29:59Z', '8 sessions behind'],
    ['2026-11-27T19:30:00Z', '9 sessions behind'],
  ])('at %s is %s, whenever the page was built', (now, text) => {
    for (const made of ['2026-11-13T21:00:00Z', '2026-11-15T12:00:00Z', '2026-11-16T22:10:00Z', now])
      if (made <= now) expect(said(made, now), made).toBe(text);
  });

  it('says "at least" after the last known session', () => {
    expect(said('2026-11-13T21:00:00Z', '2027-06-01T12:00:00Z')).toBe('At least 10 sessions behind');
  });

  it.each(['2026-11-13T15:10:00Z', '2026-11-13T21:10:00Z', '2026-11-15T12:00:00Z'])(
    'counts rows of an open session as fresh until its close is overdue, on a page of %s',
    (made) => {
      const metrics = FULL.metrics && { ...FULL.metrics, created_at: '2026-11-13T15:00:00Z' };
      const at = (now: string) => said(made, now < made ? made : now, { ...EMPTY, metrics });
      if (made < '2026-11-14') expect(at('2026-11-13T22:29:59Z')).toBeNull();
      expect(at('2026-11-13T22:30:00Z')).toBe('1 session behind');
      expect(at('2026-11-16T22:30:00Z')).toBe('2 sessions behind');
    },
  );
});

describe('the market’s state', () => {
  const statusSaid = (made: string, now: string = made) =>
    marketStatus(marketHoursView(Date.parse(made)), Date.parse(now));

  it.each([
    ['2026-11-20T14:29:59Z', 'closed until Fri 20 Nov, 09:30'],
    ['2026-11-20T14:30:00Z', 'open, closes at 16:00'],
    ['2026-11-20T20:59:59Z', 'open, closes at 16:00'],
    ['2026-11-20T21:00:00Z', 'closed until Mon 23 Nov, 09:30'],
    ['2026-11-22T12:00:00Z', 'closed until Mon 23 Nov, 09:30'],
    // A holiday and a half-day.
    ['2026-11-25T21:00:00Z', 'closed until Fri 27 Nov, 09:30'],
    ['2026-11-26T15:00:00Z', 'closed until Fri 27 Nov, 09:30'],
    ['2026-11-27T15:00:00Z', 'open, closes at 13:00'],
    ['2026-11-27T18:00:00Z', 'closed until Mon 30 Nov, 09:30'],
    // The clock of New York changes on Sun 8 Mar.
    ['2026-03-06T14:00:00Z', 'closed until Fri 6 Mar, 09:30'],
    ['2026-03-09T14:00:00Z', 'open, closes at 16:00'],
  ])('at %s: %s', (now, text) => {
    expect(statusSaid(now)).toBe(`Market ${text} New York time`);
  });

  it('is right until the last known session and empty after it', () => {
    const made = '2026-12-23T15:00:00Z';
    const { sessions } = marketHoursView(Date.parse(made));
    expect(sessions.map(({ opensText, closesText }) => `${opensText} to ${closesText}`)).toEqual([
      'Wed 23 Dec, 09:30 to 16:00',
      'Thu 24 Dec, 09:30 to 13:00',
      ...['Mon 28 Dec', 'Tue 29 Dec', 'Wed 30 Dec'].map((day) => `${day}, 09:30 to 16:00`),
    ]);
    const closed = 'Market closed until Mon 28 Dec, 09:30 New York time';
    expect(statusSaid(made, '2026-12-24T17:59:59Z')).toMatch(/^Market open/);
    expect(statusSaid(made, '2026-12-24T18:00:00Z')).toBe(closed);
    expect(statusSaid(made, '2026-12-30T20:59:59Z')).toMatch(/^Market open/);
    expect(statusSaid(made, '2026-12-30T21:00:00Z')).toBeNull();
  });
});
