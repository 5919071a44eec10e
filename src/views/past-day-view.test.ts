import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { pageSections } from './page-sections.ts';
import { pastDayView } from './past-day-view.ts';

const EVENING = Date.parse('2026-11-14T01:00:00Z');
const view = dashboardView(FULL, EVENING);
const corrected = dashboardView(fullWith({ metrics: { overall_strength: 12.3 } }), EVENING);
const day = {
  session: '2026-11-13',
  published: { publishedAt: EVENING + 4 * 60_000, view, isIntact: true, formulaVersion: '3' },
  current: view,
  ...{ closes: [], askedFor: null, previous: '2026-11-12', next: null, compared: null },
};
const demo = { kind: 'simulated', text: 'Demo data', title: '' } as const;

const LATER = 'Computed later from stored data; nobody saw this page at the time';
const ON_TIME = 'As published Fri 13 Nov 2026, 20:04 New York time';
const INVENTED = 'Demo data. These are not numbers of the real market.';
const DAMAGED = 'The stored rows do not match their hash, so they were changed afterwards.';

describe('the banner of a past day', () => {
  it.each([
    ['was published and not corrected', day, ON_TIME],
    ['was computed later', { ...day, published: null, current: corrected }, LATER],
  ])('states the origin of a page that %s', (_, shown, banner) => {
    expect(pastDayView(shown)).toMatchObject({ banner, changes: [] });
  });

  it('counts the figures that were corrected since, each with both values', () => {
    const { banner, changes } = pastDayView({ ...day, current: corrected });
    expect(banner).toBe(`Corrected since: ${changes.length} values`);
    const strength = { section: 'Exposure and strength', name: 'Overall Strength', before: '58.1% High' };
    expect(changes).toContainEqual({ ...strength, after: expect.stringMatching(/^12\.3/) });
  });
});

describe('a past day', () => {
  it('has every section of the page that has rows', () => {
    const titlesOf = (rows: DashboardRows) =>
      pageSections(dashboardView(rows, EVENING)).flatMap(({ title, figures }) => (figures[0] ? title : []));
    expect([...new Set(titlesOf(FULL))]).toEqual([
      ...['Market Signal', 'Indices', 'Fear & Greed', view.sentiment?.title, 'Exposure and strength'],
      ...['Advanced Indicators', 'Sector Strength', 'Market Breadth'],
    ]);
    expect(titlesOf(EMPTY)).toEqual(['Market Signal']);
  });

  it('links to the sessions around it', () => {
    const previous = { session: '2026-11-12', text: 'Thu 12 Nov 2026' };
    expect(pastDayView(day)).toMatchObject({ previous, next: null });
  });

  it('names a date without data, a demonstration, changed rows and another formula', () => {
    const published = { ...day.published, view: { ...view, demo }, isIntact: false, formulaVersion: '2' };
    expect(pastDayView({ ...day, published, askedFor: '2026-11-14' }).notes).toEqual([
      'There is no data of Sat 14 Nov 2026. This is Fri 13 Nov 2026.',
      INVENTED,
      DAMAGED,
      'The score and the verdict follow from formula 3 of today, not from the one of that day.',
    ]);
  });

  it('has the numbers that differ from those of another day', () => {
    const other = { session: '2026-11-12', askedFor: '2026-11-12', published: null, current: corrected };
    const { compared, notes } = pastDayView({ ...day, compared: other });
    expect(notes).toEqual([]);
    expect(compared?.other.text).toBe('Thu 12 Nov 2026');
    expect(compared?.days.map(({ link, signal }) => [link.session, signal])).toEqual([
      ['2026-11-12', corrected.signal],
      ['2026-11-13', view.signal],
    ]);
    expect(compared?.view.headline).toMatch(/ higher than Thu 12 Nov 2026, mostly Overall Strength$/);
  });

  it('has the origin of each of two compared days, in any order of the address', () => {
    const other = { session: '2026-11-06', published: null, current: { ...view, demo } };
    const own = { ...day, published: { ...day.published, isIntact: false } };
    const pages = [
      pastDayView({ ...own, compared: { ...other, askedFor: '2026-11-08' } }),
      pastDayView({ ...day, ...other, compared: { ...own, askedFor: day.session } }),
    ];
    expect(pages.map(({ notes }) => notes)).toEqual([
      ['There is no data of Sun 8 Nov 2026. The other session is Fri 6 Nov 2026.'],
      [],
    ]);
    for (const { compared } of pages)
      expect(compared?.days.map(({ banner, notes }) => [banner, ...notes])).toEqual([
        [LATER, INVENTED],
        [ON_TIME, DAMAGED],
      ]);
  });
});
