import { describe, expect, it } from 'vitest';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { rowsFrom, rowsOf, SATURDAY, WHOLE } from '#tests/support/weekly-signal.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { decideSignalOfWeek, missedSignal } from './decision.ts';

const HOUR = 3_600_000;

/** What is decided of rows a minute after the signal fell due. */
function decide(rows: DashboardRows, at = SATURDAY, now = at + 60_000) {
  return decideSignalOfWeek({ rows, origins: [] }, { now, at });
}

/** Why it is withheld; 'issued' where it is not. */
function outcome(rows: DashboardRows, at?: number, now?: number): string {
  const decision = decide(rows, at, now);
  return decision.status === 'issued' ? 'issued' : decision.reason;
}

const at = (text: string) => Date.parse(text);

describe('the signal of a week', () => {
  it('is the page’s, frozen', () => {
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
      mail: { rows: signal.rows, sinceLastWeek: signal.sinceLastWeek },
    });
    expect(decision.inputs.fearGreed).toEqual({
      session: '2026-11-13',
      parts: [{ name: 'Fear & Greed', score: 62.37 }],
    });
    expect(decision.inputs.sentiment.parts.map(({ score }) => score)).toEqual([61, null, 54]);
    expect(decide(WHOLE)).toMatchObject({ status: 'issued', range: null });
  });

  it('is issued of a demonstration, which it says', () => {
    for (const source of ['simulated', 'replay'] as const) {
      expect(decide(rowsFrom(source))).toMatchObject({
        status: 'issued',
        source,
        mail: { subject: expect.stringContaining('(demo data)') },
      });
    }
  });

  it('is issued of six inputs of seven, and without an index', () => {
    expect(decide({ ...FULL, breadth: null })).toMatchObject({
      status: 'issued',
      mail: { inputsText: '6 of 7 inputs' },
    });
    expect(decide({ ...FULL, indices: [] })).toMatchObject({ status: 'issued', sp500Close: null });
    const thursday = rowsOf('2026-11-12T21:00:00.000Z').indices;
    expect(decide({ ...FULL, indices: thursday })).toMatchObject({ status: 'issued', sp500Close: null });
  });

  it('is withheld below 70 % of the weight', () => {
    const decision = decide({ ...FULL, metrics: null });
    expect(decision).toMatchObject({ status: 'withheld', session: '2026-11-13', source: 'live' });
    expect(outcome({ ...FULL, metrics: null })).toBe(
      'Insufficient data: too little of the market is measured (5 of 7 inputs), and a signal takes 70 % of the weight; doctor says why.',
    );
  });

  it('is withheld without any row', () => {
    expect(decide(EMPTY)).toMatchObject({
      status: 'withheld',
      session: null,
      source: null,
      reason:
        'There are no market rows to decide a signal from; collect brings them, or doctor says why not.',
    });
    expect(outcome({ ...EMPTY, indices: FULL.indices })).toMatch(/^There are no market rows/);
  });
});

describe('the rows it is decided from', () => {
  it('are of the last close, not of one before it', () => {
    expect(outcome(rowsOf('2026-11-12T21:00:00.000Z'))).toBe(
      'The newest market rows are of Thu 12 Nov 2026, close, and those of Fri 13 Nov 2026, which has closed since, are missing; collect brings them, or doctor says why not.',
    );
    expect(outcome(rowsOf('2026-11-12T17:30:00.000Z'))).toMatch(
      /^The newest market rows are of Thu 12 Nov 2026, 12:30 New York time, and those of Fri 13 Nov 2026, which/,
    );
  });

  it('are not of within the session', () => {
    expect(outcome(rowsOf('2026-11-13T20:00:00.000Z'))).toBe(
      'The newest market rows are of Fri 13 Nov 2026, 15:00 New York time, within the session: those of its close are missing; collect brings them, or doctor says why not.',
    );
  });

  it('are not of a session under way, nor of days ahead', () => {
    const monday = at('2026-11-16T15:00:00Z');
    expect(outcome(rowsOf('2026-11-16T15:00:00.000Z'), monday)).toBe(
      'The newest market rows are of Mon 16 Nov 2026, 10:00 New York time, after the close of Fri 13 Nov 2026 that the signal is decided at: wait for the rows of the next close.',
    );
    expect(outcome(rowsOf('2027-11-12T21:00:00.000Z'))).toMatch(
      /^The newest market rows are of Fri 12 Nov 2027/,
    );
    // The close's rows are there while the next session is open, too.
    expect(outcome(FULL, monday)).toBe('issued');
  });

  it('are all of one session', () => {
    const { breadth, fearGreed } = rowsOf('2026-11-12T21:00:00.000Z');
    expect(outcome({ ...FULL, breadth })).toBe(
      'The market rows are not all of the close of Fri 13 Nov 2026: Market Breadth is of Thu 12 Nov 2026, close; doctor says why.',
    );
    expect(outcome({ ...FULL, breadth, fearGreed })).toMatch(
      /: Fear & Greed is of Thu 12 Nov 2026, close, and Market Breadth is of Thu 12 Nov 2026, close; doctor/,
    );
    const { metrics } = rowsOf('2026-11-13T20:30:00.000Z');
    expect(outcome({ ...FULL, metrics })).toMatch(
      /: Overall Strength with Market Exposure is of Fri 13 Nov 2026, 15:30 New York time; doctor/,
    );
    const { sectors, sentiment } = rowsOf('2026-11-12T21:00:00.000Z');
    expect(outcome({ ...FULL, sectors })).toMatch(/: Sector Strength is of Thu 12 Nov 2026, close; doctor/);
    expect(outcome({ ...FULL, sentiment })).toMatch(
      /: Market Sentiment is of Thu 12 Nov 2026, close; doctor/,
    );
    const { indicators } = rowsOf('2026-11-16T15:00:00.000Z');
    expect(outcome({ ...FULL, indicators })).toMatch(/^The newest market rows are of Mon 16 Nov 2026/);
  });

  it('may lack an input that is more than five sessions behind, as one without rows [R22]', () => {
    const sixBefore = rowsOf('2026-11-05T21:00:00.000Z');
    const { fearGreed } = sixBefore;
    expect(decide({ ...FULL, fearGreed })).toMatchObject({
      status: 'issued',
      mail: { inputsText: '6 of 7 inputs', fearGreed: null },
    });
    const mixed = fearGreed.current && { ...fearGreed.current, mixed_sessions: true };
    expect(outcome({ ...FULL, fearGreed: { ...fearGreed, current: mixed } })).toBe('issued');
    expect(outcome({ ...FULL, metrics: sixBefore.metrics })).toMatch(
      /^Insufficient data: .*\(5 of 7 inputs\)/,
    );
    const five = rowsOf('2026-11-06T21:00:00.000Z').fearGreed;
    expect(outcome({ ...FULL, fearGreed: five })).toMatch(
      /: Fear & Greed is of Fri 6 Nov 2026, close; doctor/,
    );
  });

  it('are too old once another session has closed', () => {
    const late = at('2026-11-16T21:00:00Z');
    expect(outcome(FULL, SATURDAY, late - 1)).toBe('issued');
    const reason =
      'It is too late for the signal of Fri 13 Nov 2026: the session of Mon 16 Nov 2026 has closed since.';
    expect(outcome(FULL, SATURDAY, late)).toBe(reason);
    expect(outcome(rowsOf('2026-11-16T21:00:00.000Z'), SATURDAY, late)).toBe(reason);
  });
});

describe('the last close', () => {
  it.each([
    ['on Friday evening', '2026-11-13T21:00:00.000Z', '2026-11-13T23:30:00Z'],
    ['on Friday, as soon as the signal may be', '2026-11-13T21:00:00.000Z', '2026-11-13T21:15:00Z'],
    ['on Sunday night', '2026-11-13T21:00:00.000Z', '2026-11-16T04:59:00Z'],
    ['on Monday before the bell', '2026-11-13T21:00:00.000Z', '2026-11-16T14:00:00Z'],
    ['of the half day after Thanksgiving', '2026-11-27T18:00:00.000Z', '2026-11-28T14:00:00Z'],
    ['before a Friday the exchange is closed on', '2027-03-25T20:00:00.000Z', '2027-03-27T13:00:00Z'],
    ['before New Year’s Day, a Friday', '2026-12-31T21:00:00.000Z', '2027-01-02T14:00:00Z'],
    ['before the clocks go forward', '2027-03-12T21:00:00.000Z', '2027-03-13T14:00:00Z'],
    ['on the Sunday they went forward', '2027-03-12T21:00:00.000Z', '2027-03-14T13:00:00Z'],
    ['before the clocks go back', '2027-11-05T20:00:00.000Z', '2027-11-06T13:00:00Z'],
    ['on the Sunday they went back', '2027-11-05T20:00:00.000Z', '2027-11-07T14:00:00Z'],
  ])('%s', (_, close, due) => {
    expect(outcome(rowsOf(close), at(due))).toBe('issued');
    expect(outcome(rowsOf(new Date(at(close) - HOUR).toISOString()), at(due))).toMatch(/within the session/);
  });

  it('of a half day is at one o’clock, not at four', () => {
    expect(outcome(rowsOf('2026-11-27T21:00:00.000Z'), at('2026-11-28T14:00:00Z'))).toMatch(
      /^The newest market rows are of Fri 27 Nov 2026, 16:00 New York time, after the close/,
    );
  });
});

describe('a Fear & Greed of mixed sessions', () => {
  const current = FULL.fearGreed.current && { ...FULL.fearGreed.current, mixed_sessions: true };
  const rows = { ...FULL, fearGreed: { ...FULL.fearGreed, current } };
  const origin = (input: string, session: string | null, created_at = CLOSE) => ({
    ...{ input, session, created_at },
    ...{ provider: 'fred', observed_at: null, fetched_at: null },
  });
  const mixed = (...origins: ReturnType<typeof origin>[]) =>
    decideSignalOfWeek({ rows, origins }, { now: SATURDAY, at: SATURDAY });
  const [today, dayBefore, twoBefore] = ['2026-11-13', '2026-11-12', '2026-11-10'];

  it('is sent where only what is published a day later is a day older, and the mail says so', () => {
    const decision = mixed(
      origin('bars', today),
      origin('sp500_close', today),
      origin('high_yield_oas', dayBefore),
      origin('investment_grade_oas', dayBefore),
      origin('treasury_10y_yield', dayBefore),
      origin('nyse_trin', twoBefore), // no part of it
      origin('nyse_new_highs', null), // never there
      origin('nyse_new_lows', '2026-10-01'), // long out of reach
    );
    expect(decision).toMatchObject({
      status: 'issued',
      mail: {
        sessionsText: 'from the session of Fri 13 Nov 2026, Fear & Greed in part from an earlier one',
      },
    });
  });

  const MIXED = 'Fear & Greed stands in part on values of an earlier session than Fri 13 Nov 2026';

  it.each([
    ['nothing is recorded', [], 'nothing is recorded of which'],
    [
      'the records are of other rows',
      [origin('high_yield_oas', dayBefore, '2026-11-12T21:00:00.000Z')],
      'nothing is recorded of which',
    ],
    [
      'no recorded input is of an earlier session',
      [origin('high_yield_oas', today), origin('bars', today)],
      'nothing is recorded of which',
    ],
    [
      'one is of two sessions before',
      [origin('high_yield_oas', twoBefore)],
      'Credit spreads (high-yield) of Tue 10 Nov',
    ],
    [
      'another one is older as well',
      [origin('high_yield_oas', dayBefore), origin('put_call_total', dayBefore)],
      'Put/call ratio (all options) of Thu 12 Nov',
    ],
    ['only another one is older', [origin('vix_close', dayBefore)], 'VIX of Thu 12 Nov'],
  ])('is withheld where %s', (_, origins, which) => {
    const decision = mixed(...origins);
    expect(decision.status).toBe('withheld');
    const reason = 'reason' in decision ? decision.reason : '';
    expect(reason.startsWith(`${MIXED}, `)).toBe(true);
    expect(reason).toContain(which);
    expect(reason.endsWith('; doctor says why.')).toBe(true);
  });

  it('is sent where bonds did not trade the day before', () => {
    const close = '2027-11-12T21:00:00.000Z'; // Veterans Day was the Thursday
    const due = at('2027-11-13T14:00:00Z');
    const origins = [origin('high_yield_oas', '2027-11-10', close)];
    expect(decideSignalOfWeek({ rows: rowsOf(close, rows), origins }, { now: due, at: due }).status).toBe(
      'issued',
    );
  });

  it('is sent where nobody said whether it is', () => {
    const unsaid = FULL.fearGreed.current && { ...FULL.fearGreed.current, mixed_sessions: null };
    expect(outcome({ ...FULL, fearGreed: { ...FULL.fearGreed, current: unsaid } })).toBe('issued');
  });
});

it('a week nobody was there for is withheld with the instant it fell due at', () => {
  expect(missedSignal(SATURDAY)).toMatchObject({
    status: 'withheld',
    session: null,
    reason:
      'No server ran, or none could read the market, from when the signal fell due (Sat 14 Nov 2026, 09:00 New York time) until two days after.',
  });
});
