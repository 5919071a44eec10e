import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { rowsFrom, rowsOf, SATURDAY, WHOLE } from '#tests/support/weekly-signal.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { decideSignalAt, decideWeek, decisionOfMissedWeek } from './decide-week.ts';

const HOUR = 3_600_000;

/** Decides from the given rows, a minute after the signal is due. */
function decide(rows: DashboardRows, at = SATURDAY, now = at + 60_000) {
  return decideWeek({ rows, origins: [] }, { now, at });
}

/** Returns the reason why the signal was withheld with the operator's next step, or 'issued'. */
function outcome(rows: DashboardRows, at?: number, now?: number): string {
  const decision = decide(rows, at, now);
  if (decision.status === 'issued') return 'issued';
  return decision.nextStep === null ? decision.reason : `${decision.reason} ${decision.nextStep}`;
}

const at = (text: string) => Date.parse(text);

describe('the signal of a week', () => {
  it('has the numbers of the page', () => {
    const decision = decide(FULL);
    const { signal } = dashboardView(FULL, SATURDAY);
    expect(decision).toMatchObject({
      status: 'issued',
      session: '2026-11-13',
      source: 'live',
      verdict: signal.verdict,
      score: signal.score.value,
      range: { low: signal.range?.low, high: signal.range?.high },
      sp500Close: 6734.11,
      mail: { rows: signal.rows.map(({ effect: _, ...row }) => row), sinceLastWeek: signal.sinceLastWeek },
    });
    expect(decision.inputs.fearGreed).toEqual({
      session: '2026-11-13',
      parts: [{ name: 'Fear & Greed', score: 62.37 }],
    });
    expect(decision.inputs.sentiment.parts.map(({ score }) => score)).toEqual([61, null, 54]);
    expect(decide(WHOLE)).toMatchObject({ status: 'issued', range: null });
  });

  it.each([
    ['every input', WHOLE],
    ['missing parts', FULL],
    ['a missing input', { ...FULL, breadth: null }],
    ['another score', { ...WHOLE, fearGreed: { ...WHOLE.fearGreed, current: null } }],
  ])('has the numbers of its mail, with %s', (_, rows) => {
    const decision = decide(rows);
    if (decision.status === 'withheld') throw new Error(decision.reason);
    const { mail, ...signal } = decision;
    const { verdict, asOf, score, range } = mail;
    expect(signal).toMatchObject({ verdict, session: asOf.session, score: score.value });
    expect(signal.range).toEqual(range && { low: range.low, high: range.high });
    expect(decideSignalAt({ rows, origins: [] }, { now: SATURDAY, at: SATURDAY })).toEqual(signal);
  });

  it('is issued from demo data with a note in the subject', () => {
    for (const source of ['simulated', 'replay'] as const) {
      expect(decide(rowsFrom(source))).toMatchObject({
        status: 'issued',
        source,
        mail: { subject: expect.stringContaining('(demo data)') },
      });
    }
  });

  it('is issued from six of seven inputs', () => {
    expect(decide({ ...FULL, breadth: null })).toMatchObject({
      status: 'issued',
      mail: { inputsText: '6 of 7 inputs, 2 incomplete' },
    });
    expect(decide({ ...FULL, indices: [] })).toMatchObject({ status: 'issued', sp500Close: null });
    const thursday = rowsOf('2026-11-12T21:00:00.000Z').indices;
    expect(decide({ ...FULL, indices: thursday })).toMatchObject({ status: 'issued', sp500Close: null });
  });

  it('is withheld below 70 % of the weight', () => {
    const decision = decide({ ...FULL, metrics: null });
    expect(decision).toMatchObject({ status: 'withheld', session: '2026-11-13', source: 'live' });
    expect(outcome({ ...FULL, metrics: null })).toBe(
      'Insufficient data: 5 of 7 inputs, 2 incomplete. A signal needs 70 % of the weight. Run doctor for the reason.',
    );
  });

  it('is withheld without any row', () => {
    expect(decide(EMPTY)).toMatchObject({
      status: 'withheld',
      session: null,
      source: null,
      reason: 'No market rows exist, so no signal can be decided.',
      nextStep: 'Run collect, or doctor for the reason.',
    });
    expect(outcome({ ...EMPTY, indices: FULL.indices })).toMatch(/^No market rows exist/);
  });
});

describe('the rows of a decision', () => {
  it('must not be of an earlier close', () => {
    expect(outcome(rowsOf('2026-11-12T21:00:00.000Z'))).toBe(
      'The newest market rows are of Thu 12 Nov 2026, close, but the session of Fri 13 Nov 2026 has closed since. Run collect, or doctor for the reason.',
    );
    expect(outcome(rowsOf('2026-11-12T17:30:00.000Z'))).toMatch(
      /^The newest market rows are of Thu 12 Nov 2026, 12:30 New York time, but the session of Fri 13 Nov 2026 has/,
    );
  });

  it('must not be from within the session', () => {
    expect(outcome(rowsOf('2026-11-13T20:00:00.000Z'))).toBe(
      'The newest market rows are of Fri 13 Nov 2026, 15:00 New York time, before the close of that session. Run collect, or doctor for the reason.',
    );
  });

  it('must not be from an open session or a later day', () => {
    const monday = at('2026-11-16T15:00:00Z');
    expect(outcome(rowsOf('2026-11-16T15:00:00.000Z'), monday)).toBe(
      'The newest market rows are of Mon 16 Nov 2026, 10:00 New York time, after the close of Fri 13 Nov 2026, from which the signal is decided. Wait for the rows of the next close.',
    );
    expect(outcome(rowsOf('2027-11-12T21:00:00.000Z'))).toMatch(
      /^The newest market rows are of Fri 12 Nov 2027/,
    );
    // During the next session, the rows of the last close may still be the newest rows.
    expect(outcome(FULL, monday)).toBe('issued');
  });

  it('must all be of one session, and are named otherwise', () => {
    const thursday = rowsOf('2026-11-12T21:00:00.000Z');
    const { breadth, fearGreed, sectors, sentiment } = thursday;
    expect(outcome({ ...FULL, breadth })).toBe(
      'The market rows are not all of the close of Fri 13 Nov 2026: Market Breadth is of Thu 12 Nov 2026, close. Run doctor for the reason.',
    );
    const close = 'is of Thu 12 Nov 2026, close';
    const { metrics } = rowsOf('2026-11-13T20:30:00.000Z');
    for (const [rows, named] of [
      [{ breadth, fearGreed }, `Fear & Greed ${close}, and Market Breadth ${close}.`],
      [{ metrics }, 'Overall Strength with Market Exposure is of Fri 13 Nov 2026, 15:30 New York time.'],
      [{ sectors }, `Sector Strength ${close}.`],
      [{ sentiment }, `Market Sentiment ${close}.`],
    ] as const)
      expect(outcome({ ...FULL, ...rows })).toContain(`: ${named} Run doctor`);
    const { indicators } = rowsOf('2026-11-16T15:00:00.000Z');
    expect(outcome({ ...FULL, indicators })).toMatch(/^The newest market rows are of Mon 16 Nov 2026/);
  });

  it('are accepted with one input that is more than five sessions old and counts as missing [R22]', () => {
    const sixBefore = rowsOf('2026-11-05T21:00:00.000Z');
    const { fearGreed } = sixBefore;
    expect(decide({ ...FULL, fearGreed })).toMatchObject({
      status: 'issued',
      mail: { inputsText: '6 of 7 inputs, 2 incomplete', fearGreed: null },
    });
    const mixed = fearGreed.current && { ...fearGreed.current, earlier_components: 'junk_bond_demand' };
    expect(outcome({ ...FULL, fearGreed: { ...fearGreed, current: mixed } })).toBe('issued');
    expect(outcome({ ...FULL, metrics: sixBefore.metrics })).toMatch(/^Insufficient data: 5 of 7 inputs/);
    const five = rowsOf('2026-11-06T21:00:00.000Z').fearGreed;
    expect(outcome({ ...FULL, fearGreed: five })).toMatch(
      /: Fear & Greed is of Fri 6 Nov 2026, close\. Run doctor/,
    );
  });

  it('are too old after the close of the next session', () => {
    const late = at('2026-11-16T21:00:00Z');
    expect(outcome(FULL, SATURDAY, late - 1)).toBe('issued');
    const reason =
      'It is too late for the signal of Fri 13 Nov 2026, because the session of Mon 16 Nov 2026 has closed since.';
    expect(outcome(FULL, SATURDAY, late)).toBe(reason);
    expect(outcome(rowsOf('2026-11-16T21:00:00.000Z'), SATURDAY, late)).toBe(reason);
  });
});

it.each([
  ['on Friday evening', '2026-11-13T21:00:00.000Z', '2026-11-13T23:30:00Z'],
  ['on Sunday night', '2026-11-13T21:00:00.000Z', '2026-11-16T04:59:00Z'],
  ['on Monday before the bell', '2026-11-13T21:00:00.000Z', '2026-11-16T14:00:00Z'],
  ['of the half day after Thanksgiving', '2026-11-27T18:00:00.000Z', '2026-11-28T14:00:00Z'],
  ['before a Friday the exchange is closed on', '2027-03-25T20:00:00.000Z', '2027-03-27T13:00:00Z'],
  ['on the Sunday they went forward', '2027-03-12T21:00:00.000Z', '2027-03-14T13:00:00Z'],
  ['on the Sunday they went back', '2027-11-05T20:00:00.000Z', '2027-11-07T14:00:00Z'],
])('the last close %s', (_, close, due) => {
  expect(outcome(rowsOf(close), at(due))).toBe('issued');
  expect(outcome(rowsOf(new Date(at(close) - HOUR).toISOString()), at(due))).toMatch(
    /before the close of that session/,
  );
});

describe('Fear & Greed of mixed sessions', () => {
  const current = FULL.fearGreed.current && {
    ...FULL.fearGreed.current,
    earlier_components: 'junk_bond_demand',
  };
  const rows = { ...FULL, fearGreed: { ...FULL.fearGreed, current } };
  const origin = (input: string, session: string | null, created_at = CLOSE) => ({
    ...{ input, session, created_at },
    ...{ provider: 'fred', observed_at: null, fetched_at: null },
  });
  const mixed = (...origins: ReturnType<typeof origin>[]) =>
    decideWeek({ rows, origins }, { now: SATURDAY, at: SATURDAY });
  const [today, dayBefore, twoBefore] = ['2026-11-13', '2026-11-12', '2026-11-10'];

  it('is issued with a note if only inputs that are published late are one day older', () => {
    const decision = mixed(
      origin('bars', today),
      origin('sp500_close', today),
      origin('high_yield_oas', dayBefore),
      origin('investment_grade_oas', dayBefore),
      origin('treasury_10y_yield', dayBefore),
      origin('nyse_trin', twoBefore), // This is not an input of Fear & Greed.
      origin('nyse_new_highs', null), // No value was ever published.
      origin('nyse_new_lows', '2026-10-01'), // This value is too old to be part of the index.
    );
    expect(decision).toMatchObject({
      status: 'issued',
      mail: {
        measuredText: expect.stringContaining('Fear & Greed in part from an earlier one'),
      },
    });
  });

  const MIXED = 'Fear & Greed is partly based on values of an earlier session than Fri 13 Nov 2026';

  it.each([
    ['no origin is recorded', [], 'these values have no recorded origin'],
    [
      'the origins are of other rows',
      [origin('high_yield_oas', dayBefore, '2026-11-12T21:00:00.000Z')],
      'these values have no recorded origin',
    ],
    [
      'no recorded input is of an earlier session',
      [origin('high_yield_oas', today), origin('bars', today)],
      'these values have no recorded origin',
    ],
    [
      'one is of two sessions before',
      [origin('high_yield_oas', twoBefore)],
      'Credit spreads (high-yield) of Tue 10 Nov',
    ],
    [
      'another input is older as well',
      [origin('high_yield_oas', dayBefore), origin('put_call_total', dayBefore)],
      'Put/call ratio (all options) of Thu 12 Nov',
    ],
    ['only another input is older', [origin('vix_close', dayBefore)], 'VIX of Thu 12 Nov'],
  ])('is withheld if %s', (_, origins, which) => {
    const decision = mixed(...origins);
    expect(decision.status).toBe('withheld');
    const { reason = '', nextStep = null } = decision.status === 'withheld' ? decision : {};
    expect(reason.startsWith(`${MIXED}, `)).toBe(true);
    expect(reason).toContain(which);
    expect(nextStep).toBe('Run doctor for the reason.');
  });

  it('is issued if the bond market was closed the day before', () => {
    const close = '2027-11-12T21:00:00.000Z'; // Thursday of that week was Veterans Day.
    const due = at('2027-11-13T14:00:00Z');
    const origins = [origin('high_yield_oas', '2027-11-10', close)];
    expect(decideWeek({ rows: rowsOf(close, rows), origins }, { now: due, at: due }).status).toBe('issued');
  });

  it('is issued if no component is of an earlier session', () => {
    const unsaid = FULL.fearGreed.current && { ...FULL.fearGreed.current, earlier_components: null };
    expect(outcome({ ...FULL, fearGreed: { ...FULL.fearGreed, current: unsaid } })).toBe('issued');
  });
});

it('withholds a week that no server decided, with its due time', () => {
  expect(decisionOfMissedWeek(SATURDAY, 'live')).toMatchObject({
    status: 'withheld',
    session: null,
    reason:
      'The signal was due on Sat 14 Nov 2026, 09:00 New York time, and no server could decide it within two days.',
    nextStep: null,
  });
});
