import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dataAgeView } from './data-age-view.ts';
import type { DataAgeView } from './model.ts';
import { staleText } from './stale-text.ts';

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
