import { describe, expect, it } from 'vitest';
import { sessionsBetween } from '../calendar/sessions.ts';
import { READING_NAMES, type Readings } from '../signal/flips.ts';
import { SIGNAL_INPUTS, type SignalInput, type SignalInputs } from '../signal/inputs.ts';
import { omissions, scoredWeeks, varianceShares, verdictStability, weeklyMoves } from './score-history.ts';

const NOTHING = Object.fromEntries(READING_NAMES.map((name) => [name, null])) as Readings;

/** A day on which every input has the score `level`, except the inputs in `changes`. */
function day(
  session: string,
  level: number | null,
  changes: Partial<Record<SignalInput, number>> = {},
  readings: Partial<Readings> = {},
) {
  const inputs = SIGNAL_INPUTS.map((input) => [
    input,
    { session, parts: [{ name: input, score: changes[input] ?? level }] },
  ]);
  return {
    session,
    inputs: Object.fromEntries(inputs) as SignalInputs,
    readings: { ...NOTHING, ...readings },
  };
}

describe('the shares of the variance', () => {
  it('sum to 100, with 0 for a constant input and a negative share for an opposite input', () => {
    const days = sessionsBetween('2024-01-08', '2026-03-31').map((session, at) => {
      const swing = 20 * Math.sin(at);
      return day(session, 50, { fearGreed: 50 + swing, sectors: 50 - swing / 2, breadth: 50 + swing });
    });
    const shares = varianceShares(scoredWeeks(days));
    const total = Object.values(shares ?? {}).reduce((sum, share) => sum + share, 0);
    expect(total).toBeCloseTo(100, 9);
    // If the swing changes by 100, Fear & Greed adds 20 points, breadth 10 and sectors −5: 25 points in all.
    expect(shares?.fearGreed).toBeCloseTo(80, 0);
    expect(shares?.breadth).toBeCloseTo(40, 0);
    expect(shares?.sectors).toBeCloseTo(-20, 0);
    expect(shares?.sentiment).toBeCloseTo(0, 9);
  });

  it('are unknown for a score that never changed, and leave out weeks with a missing input', () => {
    const constant = ['2026-01-09', '2026-01-16'].map((session) => day(session, 50));
    expect(varianceShares(scoredWeeks([...constant, day('2026-01-23', null)]))).toBeNull();
    expect(varianceShares([])).toBeNull();
  });
});

describe('an omitted input', () => {
  it('changes the verdict of the weeks in which it decides', () => {
    // 0.9 × 62 + 0.1 × 20 is 57.8, a HOLD. Without breadth the score is 62, a BUY.
    const decided = ['2026-01-09', '2026-01-16'].map((session) => day(session, 62, { breadth: 20 }));
    const counts = omissions(scoredWeeks([...decided, day('2026-01-23', 50)]));
    expect(counts.breadth).toEqual({ weeks: 3, changed: 2 });
    expect(counts.sectors).toEqual({ weeks: 3, changed: 0 });
  });

  it('leaves out weeks without it, and weeks with too few other inputs', () => {
    const inputs = day('2026-01-09', 62);
    // Without Fear & Greed and sentiment 65 percent of the weight remain.
    const partial = { ...inputs.inputs, sentiment: { session: null, parts: [{ name: null, score: null }] } };
    const counts = omissions(scoredWeeks([{ ...inputs, inputs: partial }]));
    expect([counts.sentiment, counts.fearGreed, counts.breadth].map(({ weeks }) => weeks)).toEqual([0, 0, 1]);
    expect(omissions(scoredWeeks([day('2026-01-09', null)])).breadth).toEqual({ weeks: 0, changed: 0 });
  });
});

describe('the moves of a reading within a week', () => {
  it('are its largest rise and fall from the last value of the week before', () => {
    const vix = [20, 21, 22, 25, 24, 18, 17, 19, 20, 30];
    const days = sessionsBetween('2026-03-02', '2026-03-13').map((session, at) =>
      day(session, 50, {}, { vix: vix[at] ?? null }),
    );
    expect(weeklyMoves(days, 'vix')).toEqual([{ rise: 6, fall: 7 }]);
  });

  it('omit an unfinished week, and a week that follows a week without values', () => {
    const days = sessionsBetween('2026-03-02', '2026-03-25').map((session) =>
      day(session, 50, {}, { vix: session >= '2026-03-09' && session <= '2026-03-13' ? null : 20 }),
    );
    expect(weeklyMoves(days, 'vix')).toEqual([]);
  });
});

describe('the stability of the verdict', () => {
  it('counts by distance the weeks whose next week has another verdict', () => {
    const levels = [60.5, 61.5, 64, 64, 55, 39];
    const days = levels.flatMap((level, week) => {
      const monday = new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString().slice(0, 10);
      const friday = new Date(Date.UTC(2026, 0, 9 + 7 * week)).toISOString().slice(0, 10);
      return sessionsBetween(monday, friday).map((session) => day(session, level));
    });
    expect(
      verdictStability(scoredWeeks(days)).map(({ from, weeks, changed }) => [from, weeks, changed]),
    ).toEqual([
      // The weeks with 60.5 (followed by 61.5) and 61.5 (followed by 64).
      [0, 2, 1],
      [1, 0, 0],
      // The two weeks with 64, followed by 64 and by 55.
      [2, 2, 1],
      // The week with 55, followed by 39.
      [5, 1, 1],
      [10, 0, 0],
    ]);
  });

  it('takes the last session of each week only', () => {
    const days = sessionsBetween('2026-01-05', '2026-01-16').map((session, at) =>
      day(session, at % 5 === 4 ? 80 : 20),
    );
    expect(verdictStability(scoredWeeks(days)).at(-1)).toMatchObject({ weeks: 1, changed: 0 });
  });
});
