import { describe, expect, it } from 'vitest';
import { marketHoursView } from './market-hours-view.ts';
import { marketStatus } from './market-status.ts';

const at = (instant: string) => Date.parse(instant);
/** The text at `now` on a page built at `made`. */
const said = (made: string, now: string = made) => marketStatus(marketHoursView(at(made)), at(now));

describe('the market’s state', () => {
  it.each([
    ['2026-11-20T14:29:59Z', 'Market closed, opens Fri 20 Nov at 09:30 New York time'],
    ['2026-11-20T14:30:00Z', 'Market open, closes at 16:00 New York time'],
    ['2026-11-20T20:59:59Z', 'Market open, closes at 16:00 New York time'],
    ['2026-11-20T21:00:00Z', 'Market closed, opens Mon 23 Nov at 09:30 New York time'],
    ['2026-11-22T12:00:00Z', 'Market closed, opens Mon 23 Nov at 09:30 New York time'],
  ])('%s', (now, text) => {
    expect(said(now)).toBe(text);
  });

  it('closes at 13:00 on a half-day, and does not open on a holiday', () => {
    expect(said('2026-11-25T21:00:00Z')).toBe('Market closed, opens Fri 27 Nov at 09:30 New York time');
    expect(said('2026-11-26T15:00:00Z')).toMatch(/^Market closed/);
    expect(said('2026-11-27T15:00:00Z')).toBe('Market open, closes at 13:00 New York time');
    expect(said('2026-11-27T18:00:00Z')).toBe('Market closed, opens Mon 30 Nov at 09:30 New York time');
  });

  it('follows the clock of New York, not UTC', () => {
    expect(said('2026-03-06T14:00:00Z')).toMatch(/^Market closed/);
    expect(said('2026-03-09T14:00:00Z')).toMatch(/^Market open/);
  });

  it('is right until the last known session and empty after it', () => {
    const made = '2026-12-23T15:00:00Z';
    const { sessions } = marketHoursView(at(made));
    expect(sessions.map(({ opensText, closesText }) => `${opensText} to ${closesText}`)).toEqual([
      'Wed 23 Dec at 09:30 to 16:00',
      'Thu 24 Dec at 09:30 to 13:00',
      'Mon 28 Dec at 09:30 to 16:00',
      'Tue 29 Dec at 09:30 to 16:00',
      'Wed 30 Dec at 09:30 to 16:00',
    ]);
    expect(said(made, '2026-12-24T17:59:59Z')).toMatch(/^Market open/);
    expect(said(made, '2026-12-24T18:00:00Z')).toBe('Market closed, opens Mon 28 Dec at 09:30 New York time');
    expect(said(made, '2026-12-30T20:59:59Z')).toMatch(/^Market open/);
    expect(said(made, '2026-12-30T21:00:00Z')).toBeNull();
  });
});
