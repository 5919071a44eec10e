import { describe, expect, it } from 'vitest';
import { openGaps, type QualityEvent, qualityView } from './quality-view.ts';

const event = (kind: string, session: string | null, more: Partial<QualityEvent> = {}): QualityEvent => ({
  ...{ at: Date.parse('2026-11-14T01:00:00Z'), kind, session },
  ...{ input: null, provider: null, detail: null, before: null, after: null, ...more },
});
const SESSIONS = ['2026-11-11', '2026-11-12', '2026-11-13'];
const LATE = event('late', '2026-11-12', { input: 'vix_close', detail: 'newest value of 2026-11-11' });
const COMPLETED = event('completed', '2026-11-12', { input: 'vix_close', provider: 'cboe' });
const CORRECTED = event('corrected', '2026-11-12');

const view = (events: QualityEvent[], more: Partial<Parameters<typeof qualityView>[0]> = {}) =>
  qualityView({ sessions: SESSIONS, unchecked: [], source: 'live', events, damaged: [], ...more });
const statesOf = ({ months }: ReturnType<typeof qualityView>) =>
  months.flatMap(({ sessions }) => sessions.map(({ state }) => state));

it('open gaps are missing and late inputs until their value arrives', () => {
  expect(openGaps([LATE])).toEqual([LATE]);
  expect(openGaps([COMPLETED, LATE])).toEqual([]);
  expect(openGaps([{ ...COMPLETED, session: '2026-11-11' }, LATE])).toEqual([LATE]);
  expect(openGaps([{ ...COMPLETED, input: 'bars' }, LATE])).toEqual([LATE]);
  expect(openGaps([CORRECTED, event('missed run', null)])).toEqual([]);
});

describe('the quality of the data', () => {
  it.each<[QualityEvent[], string, string]>([
    [[], 'Complete, Complete, Complete', 'No open gaps in 3 sessions.'],
    [[LATE], 'Complete, Gap, Complete', '1 open gap in 3 sessions.'],
    [
      [LATE, event('missing', '2026-11-13', { input: 'bars' })],
      'Complete, Gap, Gap',
      '2 open gaps in 3 sessions.',
    ],
    [[COMPLETED, LATE], 'Complete, Late, Complete', 'No open gaps in 3 sessions.'],
    [[CORRECTED, COMPLETED, LATE], 'Complete, Fixed, Complete', 'No open gaps in 3 sessions.'],
    [[event('refused', '2026-11-13')], 'Complete, Complete, Event', 'No open gaps in 3 sessions.'],
  ])('has the worst event of each session, and counts the open gaps: %#', (events, states, summary) => {
    expect(statesOf(view(events)).join(', ')).toBe(states);
    expect(view(events)).toMatchObject({ summary, damagedText: null, uncheckedText: null });
    expect(view(events).noneText).toBe('No fault was recorded.');
  });

  it('claims nothing about a session that was not published in its evening', () => {
    const some = view([event('refused', '2026-11-13')], { unchecked: ['2026-11-12', '2026-11-13'] });
    expect(some.summary).toBe('1 of 3 sessions checked, no open gaps.');
    expect(some.uncheckedText).toMatch(/^2 sessions were not checked, because /);
    expect(statesOf(some)).toEqual(['Complete', 'Not checked', 'Event']);
    expect(view([], { unchecked: SESSIONS })).toMatchObject({
      summary: 'No session checked yet.',
      noneText: 'No fault was recorded, because no session was checked.',
    });
  });

  it('marks a demonstration', () => {
    expect(view([], { source: 'simulated' }).demoText).toContain('invented numbers');
    expect(view([]).demoText).toBeNull();
  });

  it('lists the newest 200 events, and counts the gaps of all', () => {
    const gaps = Array.from({ length: 264 }, (_, at) =>
      event('late', '2026-11-12', { input: `input ${at}` }),
    );
    const { events, summary, restText } = view(gaps);
    expect(events).toHaveLength(200);
    expect(summary).toBe('264 open gaps in 3 sessions.');
    expect(restText).toBe('The newest 200 of 264 events are listed.');
  });

  it('has a calendar of its sessions', () => {
    const events = [event('late', '2026-11-02', { input: 'bars' })];
    expect(view(events, { sessions: ['2026-10-30', '2026-11-02'] }).months).toEqual([
      { name: 'Oct 2026', sessions: [{ session: '2026-10-30', date: 30, weekday: 5, state: 'Complete' }] },
      { name: 'Nov 2026', sessions: [{ session: '2026-11-02', date: 2, weekday: 1, state: 'Gap' }] },
    ]);
  });

  const exposure = { input: 'market_metrics market_exposure', before: '50', after: '33.333333333333336' };
  it.each([
    [LATE, 'Gap: VIX; newest value of Wed 11 Nov'],
    [event('refused', null, { detail: 'No session is 2026-13-99.' }), 'Refused: No session is 2026-13-99'],
    [COMPLETED, 'Late: VIX from Cboe'],
    [event('corrected', '2026-11-12', exposure), 'Fixed: market exposure; from 50% to 33.33%'],
    [event('missed run', null, { detail: '3 scheduled runs' }), 'Missed run: 3 scheduled runs'],
    [
      event('missed run', null, { detail: '13 runs since 2026-11-12' }),
      'Missed run: 13 runs since Thu 12 Nov',
    ],
    [event('formula changed', null, { before: '1', after: '2' }), 'Formula changed: from 1 to 2'],
    [event('missing', '2026-11-12', { input: 'put_call_total' }), 'Gap: Put/call ratio, all options'],
  ])('names an event: %#', (stored, text) => {
    expect(view([stored]).events[0]?.text).toBe(text);
  });

  it('names each session once whose stored copy was changed', () => {
    expect(view([], { damaged: ['2026-11-12', '2026-11-12'] })).toMatchObject({
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
