import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { pastDayView, pastSections } from './past-day-view.ts';

const EVENING = Date.parse('2026-11-14T01:00:00Z');
const view = dashboardView(FULL, EVENING);
const corrected = dashboardView(
  { ...FULL, metrics: FULL.metrics && { ...FULL.metrics, overall_strength: 12.3 } },
  EVENING,
);
const day = {
  session: '2026-11-13',
  published: { at: EVENING + 4 * 60_000, view, isIntact: true },
  current: view,
  askedFor: null,
  previous: '2026-11-12',
  next: null,
  compared: null,
};

describe('the banner of a past day', () => {
  it('says when the page was published if nothing was corrected', () => {
    const { banner, changes } = pastDayView(day);
    expect([banner, changes]).toEqual(['As published Fri 13 Nov 2026, 20:04 New York time', []]);
  });

  it('counts the figures that were corrected since, each with both values', () => {
    const { banner, changes, sections } = pastDayView({ ...day, current: corrected });
    expect(banner).toBe(`Corrected since: ${changes.length} values`);
    expect(changes).toContainEqual({
      name: 'Exposure and strength: Overall Strength',
      before: sections
        .flatMap(({ figures }) => figures)
        .filter(({ name }) => name === 'Overall Strength')
        .at(-1)?.text,
      after: expect.stringMatching(/^12\.3/),
    });
  });

  it('says that nobody saw a page that was computed later', () => {
    const { banner, changes } = pastDayView({ ...day, published: null, current: corrected });
    expect([banner, changes]).toEqual([
      'Computed later from stored data; nobody saw this page at the time',
      [],
    ]);
  });
});

describe('a past day', () => {
  it('has every section of the page, and no section without rows', () => {
    expect(pastSections(view).map(({ title }) => title)).toEqual([
      'Market Signal',
      'Indices',
      'Fear & Greed',
      view.sentiment?.title,
      'Exposure and strength',
      'Indicators',
      'Sectors',
      'Market Breadth',
      view.insights?.title,
    ]);
    expect(pastSections(dashboardView(EMPTY, EVENING)).map(({ title }) => title)).toEqual(['Market Signal']);
  });

  it('links to the sessions around it', () => {
    const { previous, next } = pastDayView(day);
    expect([previous, next]).toEqual([{ session: '2026-11-12', text: 'Thu 12 Nov 2026' }, null]);
  });

  it('names a date without data, a demonstration and a stored page that was changed', () => {
    const demo = { kind: 'simulated', text: 'Demo data', title: '' } as const;
    const published = { at: EVENING, view: { ...view, demo }, isIntact: false };
    expect(pastDayView({ ...day, published, askedFor: '2026-11-14' }).notes).toEqual([
      'There is no data of Sat 14 Nov 2026. This is Fri 13 Nov 2026.',
      'Demo data: these are not figures of the market.',
      'The stored page does not have the hash that was stored with it: it was changed afterwards.',
    ]);
  });

  it('compared with another has the figures that differ', () => {
    const { compared } = pastDayView({ ...day, compared: { session: '2026-11-12', view: corrected } });
    expect(compared?.other.text).toBe('Thu 12 Nov 2026');
    expect(compared?.differences.map(({ name }) => name)).toContain(
      'Exposure and strength: Overall Strength',
    );
    expect(pastDayView({ ...day, compared: { session: '2026-11-12', view } }).compared?.differences).toEqual(
      [],
    );
  });
});
