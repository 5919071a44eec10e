import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { apportion } from './apportion.ts';
import { decideSignal, verdictWithout } from './decide-signal.ts';
import {
  advancingShare,
  indicatorParts,
  SIGNAL_INPUTS,
  type SignalInput,
  type SignalInputs,
  type SignalPart,
} from './inputs.ts';

const SESSION = '2026-11-13';
const part = (score: number | null) => ({ name: 'part', score });
const reading = (parts: readonly SignalPart[], session: string | null = SESSION) => ({ session, parts });

/** Seven complete inputs with a score of 50, except the given ones. */
function inputsOf(scores: Partial<Record<SignalInput, number | null>>, rest = 50): SignalInputs {
  const scoreOf = (input: SignalInput) => (input in scores ? (scores[input] ?? null) : rest);
  const inputs = SIGNAL_INPUTS.map((input) => [input, reading([part(scoreOf(input))])]);
  return Object.fromEntries(inputs);
}

describe('the signal with everything measured', () => {
  it('is exactly the specified weighted score [S9.18]', () => {
    const signal = decideSignal({
      ...inputsOf({ fearGreed: 62, overallStrength: 58, marketExposure: 54, sectors: 55, breadth: 53 }),
      sentiment: reading([part(61), part(57), part(53)]),
      advancedIndicators: reading(indicatorParts({ vix: 17, putCallRatio: 0.86, mcclellanOscillator: 18 })),
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
});

describe('the numbers of the breakdown', () => {
  /** Rounds a quotient of whole numbers, halves up. */
  const rounded = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor);
  const tenths = (score: number | null) => BigInt(Math.round((score ?? 0) * 10));

  /** Compares a signal with exact integer arithmetic. Returns a description of each difference. */
  function faultsOf(inputs: SignalInputs): string[] {
    const signal = decideSignal(inputs);
    if (signal.score === null) return [];
    const present = signal.rows.filter(({ score }) => score !== null);
    const weight = present.reduce((sum, row) => sum + row.weight, 0);
    const product = present.reduce((sum, row) => sum + BigInt(row.weight) * tenths(row.score), 0n);
    const faults = signal.rows.flatMap(({ input, ...row }) => {
      if (row.score === null) return row.points === null && row.share === null ? [] : [`${input} has points`];
      const share = (100 * row.weight) / weight;
      const isExact = Math.abs((row.points ?? 0) - (row.score * share) / 100) < 1e-12;
      return isExact && row.share === share ? [] : [`${row.score} x ${row.share} is not ${row.points}`];
    });
    const isSum = tenths(signal.score) === rounded(product, BigInt(weight));
    const { low, high } = signal.range ?? { low: signal.score, high: signal.score };
    return [
      ...faults,
      ...(isSum ? [] : [`${product}/${weight} tenths are not ${signal.score}`]),
      ...(low <= signal.score && signal.score <= high
        ? []
        : [`${signal.score} is not from ${low} to ${high}`]),
    ];
  }

  it('are exact, and their sum is rounded once [R26]', () => {
    const random = noise(1);
    const faults = Array.from({ length: 3000 }, () => {
      // Half of the scores are whole tenths: their products include exact halves, which rounding must treat correctly.
      const score = () => (random() < 0.5 ? random() * 100 : Math.floor(random() * 1001) / 10);
      const scores = SIGNAL_INPUTS.map((input) => [input, random() < 0.1 ? null : score()]);
      return faultsOf(inputsOf(Object.fromEntries(scores)));
    });
    expect(faults.flat()).toEqual([]);
  });
});

describe('the signal with inputs missing', () => {
  it('scales the remaining weights to 100 % [R6]', () => {
    const signal = decideSignal(inputsOf({ fearGreed: null, overallStrength: 70 }, 60));
    // 80 % of the weight is present: (20·70 + 60·60)/80 = 62.5. With the missing fifth at 0 the score is 50, at 100 it
    // is 70.
    expect(signal).toMatchObject({
      score: 62.5,
      verdict: 'BUY',
      present: 6,
      range: { low: 50, high: 70 },
    });
    expect(signal.rows[0]).toMatchObject({ share: null, score: null, points: null });
    expect(signal.rows[1]?.share).toBe(25);
  });

  it('has a verdict from 70 % of the weight on [R6]', () => {
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
    // If there is no verdict, the weights are not scaled.
    expect(below.rows.map((row) => row.share)).toEqual(Array(7).fill(null));
  });

  it('counts only the measured parts of an input towards the 70 %', () => {
    const elevenSectors = Array.from({ length: 11 }, (_, at) => part(at < 8 ? 50 : null));
    const inputs = inputsOf({ fearGreed: null, marketExposure: null });
    // 70 % of the weight has a score; eight of eleven sectors leave 67.3 % measured.
    expect(decideSignal({ ...inputs, sectors: reading(elevenSectors) })).toMatchObject({
      score: null,
      verdict: 'insufficient',
      present: 5,
    });
    expect(decideSignal(inputs).verdict).toBe('HOLD');
  });

  it('excludes a missing part from its input’s mean and widens the range', () => {
    const signal = decideSignal({ ...inputsOf({}), sentiment: reading([part(80), part(60), part(null)]) });
    expect(signal.present).toBe(7);
    expect(signal.rows[3]).toMatchObject({ score: 70, missing: ['part'] });
    // 85·50 + 15·70 = 53; the missing third of the 15 % may add 0 to 5 points to 42.5 + 7.
    expect(signal).toMatchObject({ score: 53, range: { low: 49.5, high: 54.5 } });
  });

  it('counts an input as missing if only one of its three parts is present', () => {
    const signal = decideSignal({ ...inputsOf({}), sentiment: reading([part(80), part(null), part(null)]) });
    expect(signal.present).toBe(6);
    expect(signal.rows[3]).toMatchObject({ score: null, missing: ['part', 'part'] });
  });
});

describe('the signal with old inputs', () => {
  const inputsWith = (input: SignalInput, session: string, newest = SESSION): SignalInputs => {
    const sessions = SIGNAL_INPUTS.map((one) => [one, reading([part(one === input ? 90 : 50)], newest)]);
    return { ...Object.fromEntries(sessions), [input]: reading([part(90)], session) } as SignalInputs;
  };
  const rowOf = (input: SignalInput, session: string, newest?: string) => {
    const signal = decideSignal(inputsWith(input, session, newest));
    return { ...signal, row: signal.rows.find((row) => row.input === input) };
  };

  it.each(SIGNAL_INPUTS)('counts %s in full up to five sessions behind [R22]', (input) => {
    expect(rowOf(input, SESSION).row?.age).toBe('newest');
    for (const session of ['2026-11-12', '2026-11-06']) {
      const { row, present, range } = rowOf(input, session);
      expect([row?.age, row?.session, row?.score]).toEqual(['older', session, 90]);
      expect([present, range]).toEqual([7, null]);
    }
  });

  it.each(SIGNAL_INPUTS)('counts %s as missing from six sessions behind on [R22]', (input) => {
    for (const session of ['2026-11-05', '2024-11-13', '1990-01-02']) {
      const { row, present, range, score } = rowOf(input, session);
      expect(row).toMatchObject({ age: 'expired', session, score: null, share: null, points: null });
      expect([present, score]).toEqual([6, 50]);
      expect(range?.high).toBeGreaterThan(50);
    }
  });

  it('counts sessions of the exchange, not days', () => {
    // Thanksgiving and two weekends are in between; the sixth session after 20 Nov is 1 Dec.
    expect(rowOf('breadth', '2026-11-20', '2026-11-30').row?.age).toBe('older');
    expect(rowOf('breadth', '2026-11-20', '2026-12-01').row?.age).toBe('expired');
  });
});

describe('the parts of an input', () => {
  it('limit indicators to 0–100 [S9.19]', () => {
    const scores = (vix: number | null, putCallRatio: number | null, mcclellanOscillator: number | null) =>
      indicatorParts({ vix, putCallRatio, mcclellanOscillator }).map(({ score }) => score);
    expect(scores(60, 0.2, -80)).toEqual([0, 100, 0]);
    expect(scores(0, 2, 90)).toEqual([100, 0, 100]);
    expect(scores(null, null, null)).toEqual([null, null, null]);
  });

  it('have the advancing share of all counted stocks', () => {
    expect(advancingShare(300, 100, 100)).toBe(60);
    expect(advancingShare(0, 5, 0)).toBe(0);
    expect(advancingShare(0, 0, 0)).toBeNull();
    expect(advancingShare(3, null, 0)).toBeNull();
  });
});

describe('the next verdict', () => {
  it('is the verdict that needs the smallest change of an input', () => {
    const { next } = decideSignal(inputsOf({}, 58));
    expect(next).toEqual({
      verdict: 'BUY',
      direction: 'up',
      line: 61,
      distance: 3,
      // BUY begins at 60.95, which rounds to 61.0. An input that weighs a fifth adds the missing 2.95 points if its
      // score rises by 14.75.
      lever: { input: 'fearGreed', from: 58, to: 72.8 },
    });
    expect(decideSignal(inputsOf({}, 42)).next).toMatchObject({
      verdict: 'SELL',
      direction: 'down',
      distance: 1.1,
    });
    expect(decideSignal(inputsOf({}, 61)).next).toMatchObject({ verdict: 'HOLD', distance: 0.1 });
    expect(decideSignal(inputsOf({}, 40)).next).toMatchObject({ verdict: 'HOLD', distance: 1 });
  });

  it('is reached at the named score, but not one displayed step before or by any other input', () => {
    const random = noise(5);
    let levers = 0;
    for (let round = 0; round < 1000; round += 1) {
      const middle = 30 + 40 * random();
      const scores = Object.fromEntries(
        SIGNAL_INPUTS.map((input) => [
          input,
          random() < 0.1 ? null : Math.min(100, Math.max(0, middle + 40 * (random() - 0.5))),
        ]),
      );
      const { next, verdict, rows } = decideSignal(inputsOf(scores));
      if (next === null || next.lever === null) continue;
      levers += 1;
      const { input, from, to } = next.lever;
      const way = Math.sign(to - from);
      expect(way).toBe(next.direction === 'up' ? 1 : -1);
      const verdictAt = (of: SignalInput, score: number) =>
        decideSignal(inputsOf({ ...scores, [of]: score })).verdict;
      expect(verdictAt(input, to), JSON.stringify(scores)).toBe(next.verdict);
      for (const row of rows) {
        const moved = Math.round(10 * ((row.score ?? -100) + to - from) - way) / 10;
        if (moved < 0 || moved > 100) continue;
        expect(verdictAt(row.input, moved), JSON.stringify(scores)).toBe(verdict);
      }
    }
    expect(levers).toBeGreaterThan(250);
  });

  it('names no input if none reaches it within 0 to 100', () => {
    expect(decideSignal(inputsOf({}, 90)).next).toMatchObject({
      verdict: 'HOLD',
      direction: 'down',
      lever: null,
    });
  });
});

it('has rounded parts that add up to the rounded total', () => {
  expect(apportion([33.333, 33.333, 33.334], 100, 1)).toEqual([33.3, 33.3, 33.4]);
  expect(apportion([0.05, 0.05, 0], 0.1, 1)).toEqual([0.1, 0, 0]);
  expect(apportion([], 0, 1)).toEqual([]);
  // Both lose 4/7 of a thousandth. Binary rounding makes the loss of the second one larger.
  expect(apportion([(0.1 * 20) / 70, (2.7 * 15) / 70], 0.607, 3)).toEqual([0.029, 0.578]);
});

it('the verdict without an input is that of a signal without it, even if other inputs miss a part', () => {
  const of = (...scores: (number | null)[]) => ({
    session: null,
    parts: scores.map((score) => ({ name: null, score })),
  });
  const inputs = {
    ...{ fearGreed: of(50), overallStrength: of(70), marketExposure: of(60), breadth: of(90) },
    ...{ sentiment: of(40, 45, null), advancedIndicators: of(30, 50, 60), sectors: of(null) },
  };
  const verdicts = SIGNAL_INPUTS.map((input) => verdictWithout(decideSignal(inputs), input));
  const missing = SIGNAL_INPUTS.map((input) => {
    const { verdict } = decideSignal({ ...inputs, [input]: of(null) });
    return verdict === 'insufficient' || input === 'sectors' ? null : verdict;
  });
  expect(verdicts).toEqual(missing);
  // Without Fear & Greed 65 percent of the weight are measured.
  expect([verdicts[0], verdicts[2]]).toEqual([null, 'HOLD']);
});
