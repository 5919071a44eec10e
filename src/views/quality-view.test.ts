import { describe, expect, it } from 'vitest';
import { openGaps, qualityView } from './quality-view.ts';

const event = (kind: string, session: string | null, more: Record<string, string> = {}) => ({
  ...{ at: Date.parse('2026-11-14T01:00:00Z'), kind, session },
  ...{ input: null, provider: null, detail: null, before: null, after: null, ...more },
});
const SESSIONS = ['2026-11-11', '2026-11-12', '2026-11-13'];
const LATE = event('late', '2026-11-12', { input: 'vix_close', detail: 'newest value of 2026-11-11' });
const COMPLETED = event('completed', '2026-11-12', { input: 'vix_close', provider: 'cboe' });

describe('open gaps', () => {
  it('are missing and late inputs until their value arrives', () => {
    expect(openGaps([LATE])).toEqual([LATE]);
    expect(openGaps([COMPLETED, LATE])).toEqual([]);
    expect(openGaps([{ ...COMPLETED, session: '2026-11-11' }, LATE])).toEqual([LATE]);
    expect(openGaps([{ ...COMPLETED, input: 'bars' }, LATE])).toEqual([LATE]);
    expect(openGaps([event('corrected', '2026-11-12'), event('missed run', null)])).toEqual([]);
  });
});

describe('the quality of the data', () => {
  const view = (events: ReturnType<typeof event>[], damaged: string[] = []) =>
    qualityView({ sessions: SESSIONS, unchecked: [], source: 'live', events, damaged });
  const states = (events: ReturnType<typeof event>[]) =>
    view(events).months.flatMap(({ sessions }) => sessions.map(({ state }) => state));

  it('is complete without events', () => {
    expect(view([]).summary).toBe('No open gaps in 3 sessions.');
    expect(view([]).damagedText).toBeNull();
    expect(states([])).toEqual(['Complete', 'Complete', 'Complete']);
  });

  it('counts the open gaps', () => {
    expect(view([LATE]).summary).toBe('1 open gap in 3 sessions.');
    expect(view([LATE, event('missing', '2026-11-13', { input: 'bars' })]).summary).toBe(
      '2 open gaps in 3 sessions.',
    );
  });

  it('has the worst event of each session', () => {
    expect(states([LATE])).toEqual(['Complete', 'Gap', 'Complete']);
    expect(states([COMPLETED, LATE])).toEqual(['Complete', 'Late', 'Complete']);
    expect(states([event('corrected', '2026-11-12'), COMPLETED, LATE])[1]).toBe('Fixed');
    expect(states([event('refused', '2026-11-13')])[2]).toBe('Event');
  });

  it('claims nothing about a session that was not published in its evening', () => {
    const { summary, uncheckedText, months } = qualityView({
      ...{ sessions: SESSIONS, unchecked: ['2026-11-12', '2026-11-13'], source: 'live', damaged: [] },
      events: [event('refused', '2026-11-13')],
    });
    expect(summary).toBe('1 of 3 sessions checked, no open gaps.');
    expect(uncheckedText).toMatch(/^2 sessions were not checked, because /);
    expect(view([]).uncheckedText).toBeNull();
    const unseen = { sessions: SESSIONS, unchecked: SESSIONS, source: 'live', events: [], damaged: [] };
    expect(qualityView(unseen)).toMatchObject({
      summary: 'No session checked yet.',
      noneText: 'No fault was recorded, because no session was checked.',
    });
    expect(view([]).noneText).toBe('No fault was recorded.');
    const shown = months.flatMap(({ sessions }) => sessions.map(({ state }) => state));
    expect(shown).toEqual(['Complete', 'Not checked', 'Event']);
  });

  it('marks a demonstration', () => {
    const quality = { sessions: SESSIONS, unchecked: [], events: [], damaged: [] };
    expect(qualityView({ ...quality, source: 'simulated' }).demoText).toContain('invented numbers');
    expect(qualityView({ ...quality, source: 'live' }).demoText).toBeNull();
  });

  it('lists the newest 200 events, and counts the gaps of all', () => {
    const gaps = Array.from({ length: 264 }, (_, at) =>
      event('late', '2026-11-12', { input: `input ${at}` }),
    );
    expect(view(gaps).events).toHaveLength(200);
    expect(view(gaps).summary).toBe('264 open gaps in 3 sessions.');
    expect(view(gaps).restText).toBe('The newest 200 of 264 events are listed.');
  });

  it('has a calendar of its sessions', () => {
    const { months } = qualityView({
      sessions: ['2026-10-30', '2026-11-02'],
      ...{ unchecked: [], source: 'live' },
      events: [event('late', '2026-11-02', { input: 'bars' })],
      damaged: [],
    });
    expect(months).toEqual([
      {
        name: 'Oct 2026',
        sessions: [{ session: '2026-10-30', date: 30, weekday: 5, state: 'Complete' }],
      },
      {
        name: 'Nov 2026',
        sessions: [{ session: '2026-11-02', date: 2, weekday: 1, state: 'Gap' }],
      },
    ]);
  });

  it.each([
    [LATE, 'Gap: VIX; newest value of Wed 11 Nov'],
    [event('refused', null, { detail: 'No session is 2026-13-99.' }), 'Refused: No session is 2026-13-99'],
    [COMPLETED, 'Late: VIX from Cboe'],
    [
      event('corrected', '2026-11-12', {
        input: 'market_metrics market_exposure',
        before: '50',
        after: '33.333333333333336',
      }),
      'Fixed: market exposure; from 50% to 33.33%',
    ],
    [event('missed run', null, { detail: '3 scheduled runs' }), 'Missed run: 3 scheduled runs'],
    [
      event('missed run', '2026-11-13', { detail: '13 scheduled runs since 2026-11-12' }),
      'Missed run: 13 scheduled runs since Thu 12 Nov',
    ],
    [event('formula changed', null, { before: '1', after: '2' }), 'Formula changed: from 1 to 2'],
    [event('missing', '2026-11-12', { input: 'put_call_total' }), 'Gap: Put/call ratio, all options'],
  ])('names an event: %#', (stored, text) => {
    expect(view([stored]).events[0]?.text).toBe(text);
  });

  it('names each session once whose stored copy was changed', () => {
    expect(view([], ['2026-11-12', '2026-11-12'])).toMatchObject({
      damagedText: 'The stored copy of a session was changed after it was published: Thu 12 Nov 2026.',
      events: [
        {
          ...{ atText: 'Found now', session: '2026-11-12', sessionText: 'Thu 12 Nov' },
          text: 'Edited: the stored copy was changed after it was published',
        },
      ],
    });
  });
});
