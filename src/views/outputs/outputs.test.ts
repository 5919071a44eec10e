import { describe, expect, it } from 'vitest';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import type { RecordRows, VerdictChangeRow } from '#schema/record-rows.ts';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { dashboardView } from '../dashboard-view.ts';
import { sessionsBehindAt } from '../page-texts.ts';
import { sourceOf } from '../sources-view.ts';
import { fearGreedTable, signalsTable } from './bulk-tables.ts';
import { badgeOf, embedCard } from './cards.ts';
import { currentSignal } from './current-signal.ts';
import { type CurrentData, dataState, stateText } from './data-state.ts';
import { gradeEntries, newestEntries, signalEntries, verdictChangeEntry } from './feed-entries.ts';

/** Half an hour after the close of Fri 13 Nov 2026. */
const NOW = Date.parse('2026-11-13T21:30:00Z');
const FULL_VIEW = dashboardView(FULL, NOW);

const data = (over: Partial<CurrentData> = {}): CurrentData => ({
  view: FULL_VIEW,
  source: 'live',
  sessionsBehind: 0,
  ...over,
});
const NOTHING = data({ view: dashboardView(EMPTY, NOW), source: null, sessionsBehind: null });

it('the current signal has the risk outlook in shares, rounded, and null without one', () => {
  const risk = {
    ...{
      session: '2026-11-13',
      close: 6_800,
      vix: 18.5,
      inputs: 'vix and closes' as const,
      weeks: 1_899,
      band: null,
    },
    volatility: { low: 0.006, middle: 0.009, high: 0.013 },
    ...{ usual: { low: 0.005, middle: 0.008, high: 0.016 }, vixAlone: null, weeksAlike: 946 },
    ...{ worstLine: -0.06851554, fall: 0.16807, usualFall: 0.154, half: [], most: [] },
  } as const;
  expect(currentSignal(data({ risk })).risk).toEqual({
    ...{ session: '2026-11-13', inputs: 'vix and closes', worst_line: -0.0685, fall_probability: 0.1681 },
    weekly_move: { low: 0.0134, middle: 0.0201, high: 0.0291 },
  });
  expect(currentSignal(data()).risk).toBeNull();
});

describe('the sessions behind', () => {
  it('grow with time while the data stay the same', () => {
    const at = (instant: string) => sessionsBehindAt(FULL_VIEW.age, Date.parse(instant));
    expect(at('2026-11-13T21:30:00Z')).toBe(0);
    expect(at('2026-11-16T22:29:59Z')).toBe(0);
    expect(at('2026-11-16T22:30:00Z')).toBe(1);
    expect(at('2026-11-18T00:00:00Z')).toBe(2);
    expect(at('2027-11-18T00:00:00Z')).toBe(10);
  });

  it('are unknown without data', () => {
    expect(sessionsBehindAt(null, NOW)).toBeNull();
  });

  it('have the instant at which they grow, so that a stored copy stays true', () => {
    const due = (sessionsBehind: number) => dataState(data({ sessionsBehind })).next_due;
    expect([0, 1, 10].map(due)).toEqual(['2026-11-16T22:30:00.000Z', '2026-11-17T22:30:00.000Z', null]);
    expect(dataState(NOTHING).next_due).toBeNull();
  });
});

describe('the source of the newest rows', () => {
  it('is that of the newest rows, or null without rows', () => {
    expect(sourceOf(EMPTY)).toBeNull();
    expect(sourceOf(FULL)).toBe(FULL.metrics?.source);
  });

  it('is a demonstration if any row is one', () => {
    const { metrics } = FULL;
    if (metrics === null) throw new Error('The test data have no metrics.');
    expect(sourceOf({ ...FULL, metrics: { ...metrics, source: 'replay' } })).toBe('replay');
  });
});

describe('the badge', () => {
  it('shows the verdict with its score, in the colour of the verdict', () => {
    expect(badgeOf(data())).toEqual({
      message: `${FULL_VIEW.signal.verdict} ${FULL_VIEW.signal.score.text}, 13 Nov`,
      verdict: FULL_VIEW.signal.verdict,
    });
    expect(badgeOf(data({ sessionsBehind: 1 })).verdict).toBe(FULL_VIEW.signal.verdict);
  });

  it('is grey and says "stale" from two sessions behind', () => {
    expect(badgeOf(data({ sessionsBehind: 2 }))).toEqual({ message: 'stale', verdict: null });
  });

  it('is grey without data, and without a signal', () => {
    expect(badgeOf(NOTHING)).toEqual({ message: 'no data', verdict: null });
    const insufficient = { ...FULL_VIEW.signal, verdict: 'Insufficient data' as const };
    expect(badgeOf(data({ view: { ...FULL_VIEW, signal: insufficient } }))).toEqual({
      message: 'no signal',
      verdict: null,
    });
  });

  it.each(['simulated', 'replay'] as const)('says "demo" for data of the source %s', (source) => {
    expect(badgeOf(data({ source })).message).toMatch(/^demo (BUY|HOLD|SELL) /);
    expect(badgeOf(data({ source, sessionsBehind: 2 })).message).toBe('demo stale');
  });
});

describe('the embedded card', () => {
  it('marks an old signal and a demonstration', () => {
    expect(embedCard(data({ sessionsBehind: 2, source: 'simulated' }))).toMatchObject({
      signalText: `Stale: ${FULL_VIEW.signal.verdict} ${FULL_VIEW.signal.score.text}`,
      tone: null,
      scale: null,
      ageText: 'As of Fri 13 Nov 2026, close, 2 sessions behind',
      demoText: 'Demo data: invented numbers',
    });
  });

  it('states that nothing has been measured if there is no data', () => {
    expect(embedCard(NOTHING)).toEqual({
      signalText: 'No data',
      tone: null,
      unitText: '',
      scale: null,
      fearGreedText: null,
      ageText: 'Nothing has been measured yet.',
      demoText: null,
    });
  });
});

describe('Fear & Greed in the outputs', () => {
  const at = (created_at: string) => {
    const current = FULL.fearGreed.current && { ...FULL.fearGreed.current, created_at };
    return data({
      view: dashboardView({ ...FULL, fearGreed: { ...FULL.fearGreed, current } }, NOW),
    });
  };

  it('is left out where the signal counts it as too old [R27]', () => {
    const expired = at('2024-11-13T21:00:00.000Z');
    expect(embedCard(expired).fearGreedText).toBeNull();
    expect(currentSignal(expired).fear_greed).toBeNull();
    expect(currentSignal(expired).inputs[0]).toMatchObject({
      ...{ input: 'fearGreed', score: null, weight_percent: null, session: '2024-11-13' },
    });
  });

  it('carries its session where it is of an earlier session than the newest [R27]', () => {
    const older = at('2026-11-12T21:00:00.000Z');
    expect(embedCard(older).fearGreedText).toBe('Fear & Greed 62.4, Greed. As of Thu 12 Nov 2026, close');
    expect(currentSignal(older).fear_greed).toMatchObject({ session: '2026-11-12' });
    expect(currentSignal(older).inputs.map(({ session }) => session)).toEqual([
      '2026-11-12',
      ...Array(6).fill('2026-11-13'),
    ]);
    expect(older.view.fearGreed?.summary).toContain('As of Thu 12 Nov 2026, close.');
  });
});

describe('a verdict in the outputs', () => {
  it('stands beside the note that it does not forecast [R29]', () => {
    const note = 'It describes the market and does not forecast it.';
    expect(currentSignal(data()).disclaimer).toContain(note);
    expect(stateText(data())).toContain(note);
    expect(signalEntries(recordOf(1))[0]?.text).toContain(note);
  });

  it.each([
    ['simulated', 'Demo data: invented numbers'],
    ['replay', 'Demo data: past numbers'],
  ] as const)('of the source %s stands beside "%s" [R30]', (source, label) => {
    expect(currentSignal(data({ source })).disclaimer).toMatch(new RegExp(`^${label}\\. This signal`));
    expect(stateText(data({ source }))).toContain(` ${label}. `);
    expect(embedCard(data({ source })).demoText).toBe(label);
    expect(stateText(data())).not.toContain('Demo');
  });
});

describe('the signal as JSON', () => {
  it('has the numbers of the page and the state of the data', () => {
    expect(currentSignal(data({ sessionsBehind: 3 }))).toMatchObject({
      as_of: '2026-11-13T21:00:00.000Z',
      sessions_behind: 3,
      source: 'live',
      formula_version: SIGNAL_FORMULA,
      demonstration: false,
      session: '2026-11-13',
      verdict: FULL_VIEW.signal.verdict,
      score: FULL_VIEW.signal.score.value,
      fear_greed: { value: FULL_VIEW.fearGreed?.current.value },
    });
    const weights = currentSignal(data()).inputs.map(({ weight_percent }) => weight_percent);
    expect(weights.reduce<number>((sum, weight) => sum + (weight ?? 0), 0)).toBeCloseTo(100);
  });

  it('has null for each unknown value', () => {
    expect(currentSignal(NOTHING)).toMatchObject({
      ...{ as_of: null, sessions_behind: null, source: null, session: null, verdict: null, score: null },
      ...{ next: null, week_ago: null, fear_greed: null, range: null },
    });
  });
});

describe('the entries of the feeds', () => {
  const record = recordOf(60);
  const recordEntries = (rows: RecordRows) => [...signalEntries(rows), ...gradeEntries(rows)];

  it('are either signals or grades', () => {
    expect(signalEntries(record)).toHaveLength(60);
    expect(signalEntries(record).every(({ name }) => name.startsWith('signals/'))).toBe(true);
    expect(gradeEntries(record)).toHaveLength(record.grades.length);
    expect(gradeEntries(record).every(({ name }) => name.startsWith('grades/'))).toBe(true);
  });

  it('contain each week and each grade under a unique name', () => {
    const entries = recordEntries(record);
    expect(entries).toHaveLength(record.weeks.length + record.grades.length);
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
  });

  it('never change when the record grows', () => {
    const before = recordEntries({
      weeks: record.weeks.slice(0, 40),
      grades: record.grades.slice(0, 50),
    });
    const after = new Map(recordEntries(record).map((entry) => [entry.name, entry]));
    for (const entry of before) expect(after.get(entry.name)).toEqual(entry);
  });

  it('contain a new entry for a corrected grade', () => {
    const corrected = record.grades.find(({ replaces }) => replaces !== null);
    const entries = recordEntries(record).filter(({ title }) => title.endsWith(', corrected'));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries[0]).toMatchObject({ at: corrected?.graded_at, name: expect.stringMatching(/\/2$/) });
  });

  it('have the mean of all weeks graded until then beside each grade [R29]', () => {
    const entries = recordEntries(recordOf(60)).filter(({ name }) => /^grades\/.*\/1\//.test(name));
    const texts = entries.map(({ text }) => / (All weeks: .*)\.$/.exec(text)?.[1]);
    expect(texts[0]).toBe('All weeks: too few to say');
    expect(texts.at(-1)).toMatch(/^All weeks: mean [+−]\d+\.\d\d%$/);
  });

  it('contain withheld weeks and void grades with their reasons', () => {
    const entries = recordEntries(record);
    expect(entries.find(({ title }) => title.endsWith(': no signal'))?.text).toMatch(/has closed since\.$/);
    const reason = record.grades.find(({ status }) => status === 'void')?.reason;
    expect(entries.find(({ title }) => title.includes(': void'))?.text).toBe(reason);
  });

  it('mark a demonstration in the title', () => {
    const entries = recordEntries(recordOf(20, () => ({ source: 'simulated' })));
    expect(entries.every(({ title }) => title.startsWith('Demo: '))).toBe(true);
  });

  it('can contain a change of the verdict', () => {
    const change: VerdictChangeRow = {
      ...{ id: 7, session: '2027-11-12', at: '2027-11-13T22:00:00.000Z', score: 62.34 },
      from_verdict: 'HOLD',
      to_verdict: 'BUY',
      source: 'live',
      formula_version: SIGNAL_FORMULA,
    };
    const [newest] = newestEntries(recordEntries(record), [verdictChangeEntry(change)]);
    expect(newest).toEqual({
      name: 'verdict-changes/7',
      at: change.at,
      title: 'Verdict changed from HOLD to BUY',
      text: 'The signal was BUY at two closes in a row. At the close of Fri 12 Nov 2027 it was 62.3 of 100. It describes the market and does not forecast it.',
      path: 'on/2027-11-12',
    });
  });

  it('are at most fifty, the newest first', () => {
    const times = newestEntries(recordEntries(record)).map(({ at }) => at);
    expect(times).toHaveLength(50);
    expect(times).toEqual(times.toSorted().reverse());
  });
});

describe('the bulk tables', () => {
  it('have one row per week with its newest grades, without prices', () => {
    const { columns, rows } = signalsTable(recordOf(60));
    expect(rows).toHaveLength(60);
    expect(columns.join()).not.toMatch(/close|price/);
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
    expect(rows.at(-1)?.at(columns.indexOf('grade_13w'))).toBe('pending');
  });

  it('have the newest value of each session', () => {
    const row = FULL.fearGreed.current;
    if (row === null) throw new Error('The test data have no index.');
    const earlier = { ...row, created_at: '2026-11-13T18:00:00.000Z', index_value: 1 };
    const { columns, rows } = fearGreedTable([earlier, row]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.slice(0, 2)).toEqual(['2026-11-13', row.index_value]);
    expect(columns).toHaveLength(rows[0]?.length ?? 0);
  });
});
