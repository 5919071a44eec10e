import { describe, expect, it } from 'vitest';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { signalView } from './signal.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');

describe('the signal card', () => {
  it('shows seven rows whose points add up to the score', () => {
    // Sentiment and sectors lack one part each: their means are 57.5 and 56.1.
    const signal = signalView(FULL, NOW);
    expect(signal.verdict).toBe('HOLD');
    expect(signal.inputsText).toBe('7 of 7 inputs');
    expect(signal.sessionsText).toBe('all from the session of Fri 13 Nov 2026');
    expect(signal.rows.map(({ name, weightText }) => `${name} ${weightText}`)).toEqual([
      'Fear & Greed 20%',
      'Overall Strength 20%',
      'Market Exposure 10%',
      'Market Sentiment 15%',
      'Advanced Indicators 15%',
      'Sector Strength 10%',
      'Market Breadth 10%',
    ]);
    const points = signal.rows.reduce((sum, row) => sum + (row.points.value ?? 0), 0);
    expect(points).toBeCloseTo(signal.score.value ?? -1, 9);
    expect(signal.rows[3]?.note).toBe('without medium term');
    expect(signal.rows[5]?.note).toBe('without Energy');
    expect(signal.range?.low).toBeLessThan(signal.score.value ?? 0);
    expect(signal.zones).toEqual([
      { verdict: 'SELL', from: 0, to: 41 },
      { verdict: 'HOLD', from: 41, to: 61 },
      { verdict: 'BUY', from: 61, to: 100 },
    ]);
    expect(signal.next?.title).toBe('To BUY');
    expect(signal.next?.text).toMatch(
      /^\d\.\d points up\. Fear & Greed alone would do it, from 62\.4 to \d\d\.\d\.$/,
    );
    expect(signal.headline).toBe(
      'Lifted by greed among investors and a strong market; nothing holds the score back.',
    );
  });

  it('tells what is missing, and gives no verdict below 70 % of the weight', () => {
    const without = signalView({ ...FULL, metrics: null }, NOW);
    expect(without).toMatchObject({ inputsText: '5 of 7 inputs', verdict: 'Insufficient data', range: null });
    expect(without.score).toEqual({ value: null, text: '—' });
    expect(without.next).toBeNull();
    expect(without.rows.map((row) => row.weightText)).toEqual([
      '20%',
      '20%',
      '10%',
      '15%',
      '15%',
      '10%',
      '10%',
    ]);
    const six = signalView({ ...FULL, breadth: null }, NOW);
    expect(six.inputsText).toBe('6 of 7 inputs');
    expect(six.rows[6]).toMatchObject({ weightText: '—', note: 'not measured', points: { text: '—' } });
    expect(six.rows[0]?.weightText).toBe('22.2%');
    expect(six.range?.text).toMatch(
      /^Once everything is measured, anywhere from \d\d\.\d to \d\d\.\d: HOLD or BUY\.$/,
    );
  });

  it('a default sentiment card does not enter the signal', () => {
    const noSentiment = signalView({ ...FULL, sentiment: [] }, NOW);
    expect(noSentiment.rows[3]).toMatchObject({ score: { value: null }, note: 'not measured' });
  });

  it('says of a put/call ratio that is missing on its own day when it comes, and only of live data', () => {
    const noteAt = (now: string, source: 'live' | 'csv' = 'live') => {
      const indicators = FULL.indicators && { ...FULL.indicators, put_call_ratio: null, source };
      const { rows } = signalView({ ...FULL, indicators }, Date.parse(now));
      return rows.find(({ input }) => input === 'advancedIndicators')?.note;
    };
    expect(noteAt('2026-11-13T21:30:00Z')).toBe('without put/call until evening');
    // Half an hour before and after midnight in New York.
    expect(noteAt('2026-11-14T04:30:00Z')).toBe('without put/call until evening');
    expect(noteAt('2026-11-14T05:30:00Z')).toBe('without put/call');
    expect(noteAt('2026-11-13T21:30:00Z', 'csv')).toBe('without put/call');
  });

  it('promises no put/call ratio that was missing a week ago as well', () => {
    const missing = { put_call_ratio: null, source: 'live' } as const;
    const indicators = FULL.indicators && { ...FULL.indicators, ...missing };
    const before = FULL.weekAgo.indicators && { ...FULL.weekAgo.indicators, ...missing };
    const rows = { ...FULL, indicators, weekAgo: { ...FULL.weekAgo, indicators: before } };
    const view = signalView(rows, Date.parse('2026-11-13T21:30:00Z'));
    expect(view.rows.find(({ input }) => input === 'advancedIndicators')?.note).toBe('without put/call');
  });

  it('does not say that all is of one session when a part of Fear & Greed is of an earlier one', () => {
    const { fearGreed } = FULL;
    const current = fearGreed.current && { ...fearGreed.current, mixed_sessions: true };
    expect(signalView({ ...FULL, fearGreed: { ...fearGreed, current } }, NOW).sessionsText).toBe(
      'from the session of Fri 13 Nov 2026, Fear & Greed in part from an earlier one',
    );
  });
});
