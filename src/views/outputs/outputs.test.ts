import { describe, expect, it } from 'vitest';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import type { RecordRows, VerdictChangeRow } from '#schema/record-rows.ts';
import { EMPTY, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
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
const VIEW = dashboardView(FULL, NOW);
const { verdict } = VIEW.signal;
const VERDICT = `${verdict} ${VIEW.signal.score.text}`;
const DESCRIBES = 'It describes the market and does not forecast it.';

const data = (over: Partial<CurrentData> = {}): CurrentData => ({
  ...{ view: VIEW, source: 'live', sessionsBehind: 0, ...over },
});
const NOTHING = data({ view: dashboardView(EMPTY, NOW), source: null, sessionsBehind: null });

describe('the sessions behind', () => {
  it.each([
    ['2026-11-13T21:30:00Z', 0],
    ['2026-11-16T22:29:59Z', 0],
    ['2026-11-16T22:30:00Z', 1],
    ['2026-11-18T00:00:00Z', 2],
    ['2027-11-18T00:00:00Z', 10],
  ])('grow with time while the data stay the same: %s', (instant, sessions) => {
    expect(sessionsBehindAt(VIEW.age, Date.parse(instant))).toBe(sessions);
    expect(sessionsBehindAt(null, Date.parse(instant))).toBeNull();
  });

  it('have the instant at which they grow, so that a stored copy stays true', () => {
    const due = (sessionsBehind: number) => dataState(data({ sessionsBehind })).next_due;
    expect([0, 1, 10].map(due)).toEqual(['2026-11-16T22:30:00.000Z', '2026-11-17T22:30:00.000Z', null]);
    expect(dataState(NOTHING).next_due).toBeNull();
  });
});

it('the source is that of the newest rows, null without rows, and a demonstration if any row is one', () => {
  const sources = [EMPTY, FULL, fullWith({ metrics: { source: 'replay' } })].map(sourceOf);
  expect(sources).toEqual([null, 'live', 'replay']);
});

const insufficient = { ...VIEW, signal: { ...VIEW.signal, verdict: 'Insufficient data' as const } };
it.each<[string, CurrentData, string, string | null]>([
  ['a current signal', data(), `${VERDICT}, 13 Nov`, verdict],
  ['a signal one session behind', data({ sessionsBehind: 1 }), `${VERDICT}, 13 Nov`, verdict],
  ['a signal two sessions behind', data({ sessionsBehind: 2 }), 'stale', null],
  ['no data', NOTHING, 'no data', null],
  ['no signal', data({ view: insufficient }), 'no signal', null],
  ['a simulated market', data({ source: 'simulated' }), `demo ${VERDICT}, 13 Nov`, verdict],
  ['an old replay', data({ source: 'replay', sessionsBehind: 2 }), 'demo stale', null],
])('the badge shows %s, with the colour of its verdict or grey', (_, shown, message, colour) => {
  expect(badgeOf(shown)).toEqual({ message, verdict: colour });
});

it('the embedded card marks an old signal, a demonstration, and no data', () => {
  expect(embedCard(data({ sessionsBehind: 2, source: 'simulated' }))).toMatchObject({
    ...{ signalText: `Stale: ${VERDICT}`, tone: null, scale: null },
    ageText: 'As of Fri 13 Nov 2026, close, 2 sessions behind',
    demoText: 'Demo data: invented numbers',
  });
  expect(embedCard(NOTHING)).toEqual({
    ...{ signalText: 'No data', tone: null, unitText: '', scale: null, fearGreedText: null },
    ...{ ageText: 'Nothing has been measured yet.', demoText: null },
  });
});

describe('Fear & Greed in the outputs', () => {
  const at = (created_at: string) =>
    data({ view: dashboardView(fullWith({ current: { created_at } }), NOW) });

  it('is left out where the signal counts it as too old [R27]', () => {
    const expired = at('2024-11-13T21:00:00.000Z');
    expect(embedCard(expired).fearGreedText).toBeNull();
    expect(currentSignal(expired)).toMatchObject({ fear_greed: null });
    expect(currentSignal(expired).inputs[0]).toMatchObject({
      ...{ input: 'fearGreed', score: null, weight_percent: null, session: '2024-11-13' },
    });
  });

  it('carries its session where it is of an earlier session than the newest [R27]', () => {
    const older = at('2026-11-12T21:00:00.000Z');
    expect(embedCard(older).fearGreedText).toBe('Fear & Greed 62.4, Greed. As of Thu 12 Nov 2026, close');
    const { fear_greed, inputs } = currentSignal(older);
    expect(fear_greed).toMatchObject({ session: '2026-11-12' });
    expect(inputs.map(({ session }) => session)).toEqual(['2026-11-12', ...Array(6).fill('2026-11-13')]);
    expect(older.view.fearGreed?.summary).toContain('As of Thu 12 Nov 2026, close.');
  });
});

describe('a verdict in the outputs', () => {
  it('stands beside the note that it does not forecast [R29]', () => {
    for (const text of [
      currentSignal(data()).disclaimer,
      stateText(data()),
      signalEntries(recordOf(1))[0]?.text,
    ])
      expect(text).toContain(DESCRIBES);
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
    const signal = currentSignal(data({ sessionsBehind: 3 }));
    expect(signal).toMatchObject({
      ...{ as_of: '2026-11-13T21:00:00.000Z', sessions_behind: 3, source: 'live', session: '2026-11-13' },
      ...{ formula_version: SIGNAL_FORMULA, demonstration: false, verdict, score: VIEW.signal.score.value },
      ...{ fear_greed: { value: VIEW.fearGreed?.current.value }, risk: null },
    });
    const sum = signal.inputs.reduce((total, { weight_percent }) => total + (weight_percent ?? 0), 0);
    expect(sum).toBeCloseTo(100);
  });

  it('has null for each unknown value', () => {
    expect(currentSignal(NOTHING)).toMatchObject({
      ...{ as_of: null, sessions_behind: null, source: null, session: null, verdict: null, score: null },
      ...{ next: null, week_ago: null, fear_greed: null, range: null },
    });
  });

  it('has the risk outlook in shares, rounded', () => {
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
  });
});

describe('the entries of the feeds', () => {
  const record = recordOf(60);
  const entriesOf = (rows: RecordRows) => [...signalEntries(rows), ...gradeEntries(rows)];
  const entries = entriesOf(record);

  it('contain each week and each grade under a unique name', () => {
    const named = (start: string) => entries.filter(({ name }) => name.startsWith(start)).length;
    expect([named('signals/'), named('grades/'), entries.length]).toEqual([
      ...[60, record.grades.length, 60 + record.grades.length],
    ]);
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
  });

  it('never change when the record grows', () => {
    const before = entriesOf({ weeks: record.weeks.slice(0, 40), grades: record.grades.slice(0, 50) });
    const after = new Map(entries.map((entry) => [entry.name, entry]));
    for (const entry of before) expect(after.get(entry.name)).toEqual(entry);
  });

  it('contain a new entry for a corrected grade', () => {
    const corrected = record.grades.find(({ replaces }) => replaces !== null);
    const entry = entries.find(({ title }) => title.endsWith(', corrected'));
    expect(entry).toMatchObject({ at: corrected?.graded_at, name: expect.stringMatching(/\/2$/) });
  });

  it('have the mean of all weeks graded until then beside each grade [R29]', () => {
    const first = entries.filter(({ name }) => /^grades\/.*\/1\//.test(name));
    const texts = first.map(({ text }) => / (All weeks: .*)\.$/.exec(text)?.[1]);
    expect(texts[0]).toBe('All weeks: too few to say');
    expect(texts.at(-1)).toMatch(/^All weeks: mean [+−]\d+\.\d\d%$/);
  });

  it('contain withheld weeks and void grades with their reasons', () => {
    expect(entries.find(({ title }) => title.endsWith(': no signal'))?.text).toMatch(/has closed since\.$/);
    const reason = record.grades.find(({ status }) => status === 'void')?.reason;
    expect(entries.find(({ title }) => title.includes(': void'))?.text).toBe(reason);
  });

  it('mark a demonstration in the title', () => {
    const demo = entriesOf(recordOf(20, () => ({ source: 'simulated' })));
    expect(demo.every(({ title }) => title.startsWith('Demo: '))).toBe(true);
  });

  it('are at most fifty, the newest first, and can contain a change of the verdict', () => {
    const change: VerdictChangeRow = {
      ...{ id: 7, session: '2027-11-12', at: '2027-11-13T22:00:00.000Z', score: 62.34, source: 'live' },
      ...{ from_verdict: 'HOLD', to_verdict: 'BUY', formula_version: SIGNAL_FORMULA },
    };
    const shown = newestEntries(entries, [verdictChangeEntry(change)]);
    expect(shown[0]).toEqual({
      ...{ name: 'verdict-changes/7', at: change.at, path: 'on/2027-11-12' },
      title: 'Verdict changed from HOLD to BUY',
      text: `The signal was BUY at two closes in a row. At the close of Fri 12 Nov 2027 it was 62.3 of 100. ${DESCRIBES}`,
    });
    const times = shown.map(({ at }) => at);
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
    expect(rows.map((cells) => cells.slice(0, 2))).toEqual([['2026-11-13', row.index_value]]);
    expect(columns).toHaveLength(rows[0]?.length ?? 0);
  });
});
