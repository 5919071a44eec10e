import { describe, expect, it } from 'vitest';
import { apportion } from './apportion.ts';
import {
  advancingShare,
  indicatorParts,
  SIGNAL_INPUTS,
  type SignalInput,
  type SignalInputs,
} from './inputs.ts';
import { decideSignal } from './signal.ts';

const part = (score: number | null) => ({ name: 'part', score });

/** Seven whole inputs, those given instead of 50. */
function inputsOf(scores: Partial<Record<SignalInput, number | null>>, rest = 50): SignalInputs {
  const of = (input: SignalInput) => [part(input in scores ? (scores[input] ?? null) : rest)];
  return {
    fearGreed: of('fearGreed'),
    overallStrength: of('overallStrength'),
    marketExposure: of('marketExposure'),
    sentiment: of('sentiment'),
    advancedIndicators: of('advancedIndicators'),
    sectors: of('sectors'),
    breadth: of('breadth'),
  };
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

describe('the signal with everything measured', () => {
  it('is exactly the specified weighted score', () => {
    const signal = decideSignal({
      ...inputsOf({ fearGreed: 62, overallStrength: 58, marketExposure: 54, sectors: 55, breadth: 53 }),
      sentiment: [part(61), part(57), part(53)],
      advancedIndicators: indicatorParts({ vix: 17, putCallRatio: 0.86, mcclellanOscillator: 18 }),
    });
    // 0.20·62 + 0.20·58 + 0.10·54 + 0.15·57 + 0.15·(66 + 64 + 68)/3 + 0.10·55 + 0.10·53
    expect(signal).toMatchObject({ score: 58.7, verdict: 'HOLD', present: 7, range: null });
    expect(signal.rows.map((row) => row.share)).toEqual([20, 20, 10, 15, 15, 10, 10]);
  });

  it.each([
    [60.94, 60.9, 'HOLD'],
    [60.95, 61, 'BUY'],
    [40.94, 40.9, 'SELL'],
    [40.95, 41, 'HOLD'],
    [0, 0, 'SELL'],
    [100, 100, 'BUY'],
  ])('%f is shown as %f and reads %s', (value, score, verdict) => {
    expect(decideSignal(inputsOf({}, value))).toMatchObject({ score, verdict });
  });

  it('shown points add up to the shown score, whatever the scores', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    for (let round = 0; round < 2000; round += 1) {
      const scores = Object.fromEntries(
        SIGNAL_INPUTS.map((input) => [input, random() < 0.1 ? null : random() * 100]),
      );
      const signal = decideSignal(inputsOf(scores));
      if (signal.score === null) continue;
      expect(sumOf(signal.rows.map((row) => row.points))).toBeCloseTo(signal.score, 9);
      expect(sumOf(signal.rows.map((row) => row.share))).toBeCloseTo(100, 9);
      for (const row of signal.rows) {
        if (row.points === null || row.share === null || row.score === null) continue;
        expect(Math.abs(row.points - (row.share * row.score) / 100)).toBeLessThan(0.2);
      }
      if (signal.range !== null) {
        expect(signal.range.low).toBeLessThanOrEqual(signal.score);
        expect(signal.range.high).toBeGreaterThanOrEqual(signal.score);
      }
    }
  });
});

describe('the signal with inputs missing', () => {
  it('scales the present weights to 100 % and tells the range', () => {
    const signal = decideSignal(inputsOf({ fearGreed: null, overallStrength: 70 }, 60));
    // 80 % present: (20·70 + 60·60)/80 = 62.5; at 0 the missing fifth gives 50, at 100 it gives 70.
    expect(signal).toMatchObject({
      score: 62.5,
      verdict: 'BUY',
      present: 6,
      range: { low: 50, high: 70 },
    });
    expect(signal.rows[0]).toMatchObject({ share: null, score: null, points: null });
    expect(signal.rows[1]?.share).toBe(25);
  });

  it('has a verdict at 70 % of the weight and none below', () => {
    const atEdge = decideSignal(inputsOf({ sentiment: null, advancedIndicators: null }));
    expect(atEdge).toMatchObject({ score: 50, verdict: 'HOLD', present: 5 });
    const below = decideSignal(inputsOf({ fearGreed: null, sentiment: null }));
    expect(below).toMatchObject({
      score: null,
      verdict: 'insufficient',
      present: 5,
      range: null,
      next: null,
    });
    expect(below.rows.map((row) => row.points)).toEqual(Array(7).fill(null));
    // Without a verdict no weight is scaled to anything.
    expect(below.rows.map((row) => row.share)).toEqual(Array(7).fill(null));
  });

  it('counts what is measured within an input, not the whole input, towards the 70 %', () => {
    const elevenSectors = Array.from({ length: 11 }, (_, at) => part(at < 8 ? 50 : null));
    const inputs = inputsOf({ fearGreed: null, marketExposure: null });
    // 70 % of the weight has a score; eight of eleven sectors leave 67.3 % measured.
    expect(decideSignal({ ...inputs, sectors: elevenSectors })).toMatchObject({
      score: null,
      verdict: 'insufficient',
      present: 5,
    });
    expect(decideSignal(inputs).verdict).toBe('HOLD');
  });

  it('nothing measured is insufficient', () => {
    const nothing = Object.fromEntries(SIGNAL_INPUTS.map((input) => [input, []])) as unknown as SignalInputs;
    expect(decideSignal(nothing)).toMatchObject({ verdict: 'insufficient', present: 0 });
  });

  it('a part missing within an input widens the range and stays out of the mean', () => {
    const signal = decideSignal({ ...inputsOf({}), sentiment: [part(80), part(60), part(null)] });
    expect(signal.present).toBe(7);
    expect(signal.rows[3]).toMatchObject({ score: 70, missing: ['part'] });
    // 85·50 + 15·70 = 53; the missing third of the 15 % may add 0 to 5 points to 42.5 + 7.
    expect(signal).toMatchObject({ score: 53, range: { low: 49.5, high: 54.5 } });
  });

  it('an input with one of three parts is missing', () => {
    const signal = decideSignal({ ...inputsOf({}), sentiment: [part(80), part(null), part(null)] });
    expect(signal.present).toBe(6);
    expect(signal.rows[3]).toMatchObject({ score: null, missing: ['part', 'part'] });
  });
});

describe('the parts of an input', () => {
  it('indicators are clamped to 0–100', () => {
    const scores = (vix: number | null, putCallRatio: number | null, mcclellanOscillator: number | null) =>
      indicatorParts({ vix, putCallRatio, mcclellanOscillator }).map(({ score }) => score);
    expect(scores(60, 0.2, -80)).toEqual([0, 100, 0]);
    expect(scores(0, 2, 90)).toEqual([100, 0, 100]);
    expect(scores(null, null, null)).toEqual([null, null, null]);
  });

  it('the advancing share is of all stocks counted', () => {
    expect(advancingShare(300, 100, 100)).toBe(60);
    expect(advancingShare(0, 5, 0)).toBe(0);
    expect(advancingShare(0, 0, 0)).toBeNull();
    expect(advancingShare(3, null, 0)).toBeNull();
  });
});

describe('the next verdict', () => {
  it('names the nearest one and the input that needs the least change', () => {
    const { next } = decideSignal(inputsOf({}, 58));
    expect(next).toEqual({
      verdict: 'BUY',
      direction: 'up',
      distance: 3,
      lever: { input: 'fearGreed', from: 58, to: 73 },
    });
    expect(decideSignal(inputsOf({}, 42)).next).toMatchObject({
      verdict: 'SELL',
      direction: 'down',
      distance: 1.1,
    });
    expect(decideSignal(inputsOf({}, 61)).next).toMatchObject({ verdict: 'HOLD', distance: 0.1 });
    expect(decideSignal(inputsOf({}, 40)).next).toMatchObject({ verdict: 'HOLD', distance: 1 });
  });

  it('moving the lever as told does change the verdict, and no lever is named that cannot', () => {
    for (let score = 0.3; score < 100; score += 0.7) {
      const { next } = decideSignal(inputsOf({}, score));
      if (next?.lever) {
        expect(Math.abs(next.lever.to - next.lever.from), String(score)).toBeLessThan(25.001);
        const moved = decideSignal(inputsOf({ [next.lever.input]: next.lever.to }, score));
        expect(moved.verdict, String(score)).toBe(next.verdict);
      } else {
        expect(next?.distance ?? 0).toBeGreaterThan(4.9);
      }
    }
  });

  it('an input that would have to change by more than 25 is no lever', () => {
    // The heaviest weigh a fifth: 5 points take 25 of their own.
    expect(decideSignal(inputsOf({}, 56)).next?.lever).toEqual({ input: 'fearGreed', from: 56, to: 81 });
    expect(decideSignal(inputsOf({}, 55.9)).next).toMatchObject({ distance: 5.1, lever: null });
    expect(decideSignal(inputsOf({}, 90)).next).toMatchObject({
      verdict: 'HOLD',
      direction: 'down',
      lever: null,
    });
  });
});

it('rounded parts add up to the rounded whole', () => {
  expect(apportion([33.333, 33.333, 33.334], 100, 1)).toEqual([33.3, 33.3, 33.4]);
  expect(apportion([0.05, 0.05, 0], 0.1, 1)).toEqual([0.1, 0, 0]);
  expect(apportion([], 0, 1)).toEqual([]);
});
