import { describe, expect, it } from 'vitest';
import {
  bondSessionsAfter,
  isSession,
  marketDay,
  marketState,
  newestClosedSession,
  newestOpenedSession,
  newestPublishableSession,
  newYorkTime,
  nextSession,
  publishedInstant,
  sessionClose,
  sessionOpen,
  sessionsBehind,
  sessionsBetween,
  startOfMarketDay,
} from './sessions.ts';

const at = (text: string) => Date.parse(text);
const iso = (instant: number) => new Date(instant).toISOString();

function weekdaysWithoutTrade(year: number): string[] {
  const closed: string[] = [];
  for (let day = at(`${year}-01-01T00:00Z`); day < at(`${year + 1}-01-01T00:00Z`); day += 86_400_000) {
    const weekday = new Date(day).getUTCDay();
    const text = iso(day).slice(0, 10);
    if (weekday !== 0 && weekday !== 6 && !isSession(text)) closed.push(text.slice(5));
  }
  return closed;
}

function halfDays(year: number): string[] {
  return sessionsBetween(`${year}-01-01`, `${year}-12-31`)
    .filter((session) => sessionClose(session) - sessionOpen(session) < 6.5 * 3_600_000)
    .map((session) => session.slice(5));
}

// The holidays and half-days are those of https://www.nyse.com/markets/hours-calendars and earlier calendars
// of the exchange.
const PUBLISHED: Record<number, { closed: string; half: string }> = {
  1990: { closed: '01-01 02-19 04-13 05-28 07-04 09-03 11-22 12-25', half: '12-24' },
  1994: { closed: '02-21 04-01 04-27 05-30 07-04 09-05 11-24 12-26', half: '11-25' },
  1996: { closed: '01-01 02-19 04-05 05-27 07-04 09-02 11-28 12-25', half: '07-05 11-29 12-24' },
  1999: { closed: '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', half: '11-26 12-31' },
  2000: { closed: '01-17 02-21 04-21 05-29 07-04 09-04 11-23 12-25', half: '07-03 11-24' },
  2001: {
    closed: '01-01 01-15 02-19 04-13 05-28 07-04 09-03 09-11 09-12 09-13 09-14 11-22 12-25',
    half: '07-03 11-23 12-24',
  },
  2002: { closed: '01-01 01-21 02-18 03-29 05-27 07-04 09-02 11-28 12-25', half: '07-05 11-29 12-24' },
  2003: { closed: '01-01 01-20 02-17 04-18 05-26 07-04 09-01 11-27 12-25', half: '07-03 11-28 12-24 12-26' },
  2004: { closed: '01-01 01-19 02-16 04-09 05-31 06-11 07-05 09-06 11-25 12-24', half: '11-26' },
  2007: { closed: '01-01 01-02 01-15 02-19 04-06 05-28 07-04 09-03 11-22 12-25', half: '07-03 11-23 12-24' },
  2010: { closed: '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', half: '11-26' },
  2011: { closed: '01-17 02-21 04-22 05-30 07-04 09-05 11-24 12-26', half: '11-25' },
  2012: {
    closed: '01-02 01-16 02-20 04-06 05-28 07-04 09-03 10-29 10-30 11-22 12-25',
    half: '07-03 11-23 12-24',
  },
  2013: { closed: '01-01 01-21 02-18 03-29 05-27 07-04 09-02 11-28 12-25', half: '07-03 11-29 12-24' },
  2015: { closed: '01-01 01-19 02-16 04-03 05-25 07-03 09-07 11-26 12-25', half: '11-27 12-24' },
  2018: { closed: '01-01 01-15 02-19 03-30 05-28 07-04 09-03 11-22 12-05 12-25', half: '07-03 11-23 12-24' },
  2020: { closed: '01-01 01-20 02-17 04-10 05-25 07-03 09-07 11-26 12-25', half: '11-27 12-24' },
  2021: { closed: '01-01 01-18 02-15 04-02 05-31 07-05 09-06 11-25 12-24', half: '11-26' },
  2022: { closed: '01-17 02-21 04-15 05-30 06-20 07-04 09-05 11-24 12-26', half: '11-25' },
  2023: { closed: '01-02 01-16 02-20 04-07 05-29 06-19 07-04 09-04 11-23 12-25', half: '07-03 11-24' },
  2024: { closed: '01-01 01-15 02-19 03-29 05-27 06-19 07-04 09-02 11-28 12-25', half: '07-03 11-29 12-24' },
  2025: {
    closed: '01-01 01-09 01-20 02-17 04-18 05-26 06-19 07-04 09-01 11-27 12-25',
    half: '07-03 11-28 12-24',
  },
  2026: { closed: '01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25', half: '11-27 12-24' },
  2027: { closed: '01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24', half: '11-26' },
  2028: { closed: '01-17 02-21 04-14 05-29 06-19 07-04 09-04 11-23 12-25', half: '07-03 11-24' },
};

describe('the sessions of the exchange', () => {
  it.each(Object.entries(PUBLISHED))('%s keeps the published holidays and half-days', (year, published) => {
    expect(weekdaysWithoutTrade(Number(year)).join(' ')).toBe(published.closed);
    expect(halfDays(Number(year)).join(' ')).toBe(published.half);
  });

  it('returns no session for an invalid day', () => {
    for (const text of ['2026-02-29', '2026-13-01', '2026-1-1', '', 'today', '2026-04-00']) {
      expect(isSession(text)).toBe(false);
      expect(() => nextSession(text)).toThrow(RangeError);
    }
    expect(isSession('2024-02-29')).toBe(true);
  });
});

describe('New York time', () => {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'America/New_York',
    dateStyle: 'short',
    timeStyle: 'medium',
  });

  it('agrees with the time zone database in every hour of 1990 to 2060', () => {
    const differing: string[] = [];
    for (let instant = at('1990-01-01T00:00Z'); instant < at('2061-01-01T00:00Z'); instant += 3_600_000) {
      const shown = iso(newYorkTime(instant)).slice(0, 19).replace('T', ' ');
      if (shown !== clock.format(instant)) differing.push(iso(instant));
    }
    expect(differing).toEqual([]);
  });

  it('agrees with the time zone database at each midnight and bell', () => {
    for (let day = at('1990-01-01T00:00Z'); day < at('2061-01-01T00:00Z'); day += 86_400_000) {
      const text = iso(day).slice(0, 10);
      const midnight = startOfMarketDay(text);
      expect(clock.format(midnight)).toBe(`${text} 00:00:00`);
      expect([marketDay(midnight - 1), marketDay(midnight)]).toEqual([iso(day - 1).slice(0, 10), text]);
    }
    for (const session of sessionsBetween('1990-01-01', '2060-12-31')) {
      expect(clock.format(sessionOpen(session))).toBe(`${session} 09:30:00`);
      expect(clock.format(sessionClose(session)).slice(11)).toMatch(/^1[346]:00:00$/);
    }
  });
});

describe('the newest session', () => {
  it('is a session from its closing bell on', () => {
    expect(newestClosedSession(at('2026-11-13T20:59:59.999Z'))).toBe('2026-11-12');
    expect(newestClosedSession(at('2026-11-13T21:00:00Z'))).toBe('2026-11-13');
    expect(newestClosedSession(at('2026-11-15T12:00:00Z'))).toBe('2026-11-13');
    expect(newestClosedSession(at('2026-11-27T18:00:00Z'))).toBe('2026-11-27');
  });

  it('has an age in closed sessions', () => {
    expect(sessionsBehind('2026-11-13', at('2026-11-16T20:00:00Z'))).toBe(0);
    expect(sessionsBehind('2026-11-13', at('2026-11-16T21:00:00Z'))).toBe(1);
    expect(sessionsBehind('2026-11-25', at('2026-11-30T23:00:00Z'))).toBe(2);
    expect(sessionsBehind('2026-12-31', at('2026-11-30T23:00:00Z'))).toBe(0);
  });

  it.each([
    ['2026-11-13T15:00:00Z', '2026-11-13', '2026-11-13T21:00:00Z'],
    ['2026-11-13T21:00:00Z', null, '2026-11-16T21:00:00Z'],
    ['2026-11-13T14:29:59Z', null, '2026-11-13T21:00:00Z'],
    ['2026-11-26T16:00:00Z', null, '2026-11-27T18:00:00Z'],
  ])('at %s is open: %s, and closes next at %s', (now, session, nextClose) => {
    expect(marketState(at(now))).toEqual({ open: session !== null, session, nextClose: at(nextClose) });
  });
});

it('includes today’s session as opened from the opening bell on', () => {
  const opened = (instant: string) => newestOpenedSession(Date.parse(instant));
  expect(opened('2026-11-20T14:29:59Z')).toBe('2026-11-19');
  expect(opened('2026-11-20T14:30:00Z')).toBe('2026-11-20');
  expect(opened('2026-11-22T18:00:00Z')).toBe('2026-11-20');
  expect(opened('2026-11-26T18:00:00Z')).toBe('2026-11-25');
  expect(opened('2026-11-24T04:30:00Z')).toBe('2026-11-23');
});

it.each([
  ['on a weekend', '2026-11-21T15:00Z', '2026-11-19'],
  ['after the bell', '2026-11-20T21:00Z', '2026-11-19'],
  ['before the bell', '2026-11-20T20:59Z', '2026-11-18'],
  ['on a half-day after a holiday', '2026-11-27T18:00Z', '2026-11-25'],
])('publishes the session before the newest close with a delay %s', (_, now, session) => {
  expect(newestPublishableSession(at(now), 1)).toBe(session);
  expect(newestPublishableSession(at(now), 0)).toBe(newestClosedSession(at(now)));
  // The delayed clock is between the close of that session and the next opening.
  expect(newestClosedSession(publishedInstant(at(now), 1))).toBe(session);
  expect(marketState(publishedInstant(at(now), 1)).open).toBe(false);
  expect(publishedInstant(at(now), 0)).toBe(at(now));
});

it('counts the sessions after a day on which bonds were traded', () => {
  expect(bondSessionsAfter('2026-11-19', '2026-11-20')).toBe(1);
  expect(bondSessionsAfter('2026-11-18', '2026-11-20')).toBe(2);
  expect(bondSessionsAfter('2026-11-20', '2026-11-20')).toBe(0);
  expect(bondSessionsAfter('2026-11-23', '2026-11-20')).toBe(0);
  // Both markets are closed on Thanksgiving.
  expect(bondSessionsAfter('2026-11-25', '2026-11-27')).toBe(1);
});

it('excludes days on which only stocks are traded', () => {
  expect(bondSessionsAfter('2026-11-10', '2026-11-12')).toBe(1); // Veterans Day, a Wednesday
  expect(bondSessionsAfter('2026-11-10', '2026-11-11')).toBe(0);
  expect(bondSessionsAfter('2026-10-09', '2026-10-13')).toBe(1); // Columbus Day
  expect(bondSessionsAfter('2018-11-09', '2018-11-13')).toBe(1); // Veterans Day is a Sunday, so bonds pause on Monday
  expect(bondSessionsAfter('2023-11-09', '2023-11-10')).toBe(1); // Veterans Day is a Saturday, so bonds do not pause
});
