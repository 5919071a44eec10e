import { describe, expect, it } from 'vitest';
import { createDice } from '#tests/support/dice.ts';
import { DISPLAYED_DECIMALS, roundTo } from '../bands/precision.ts';
import { decideSignal } from './decide-signal.ts';
import {
  flips,
  READING_NAMES,
  READINGS,
  type ReadingName,
  type Readings,
  verdictRanges,
  withReading,
} from './flips.ts';
import { indicatorParts, type SignalInputs } from './inputs.ts';

const of = (...scores: readonly (number | null)[]) => ({
  session: null,
  parts: scores.map((score) => ({ name: null, score })),
});

const inputsOf = (readings: Readings, sectors: readonly (number | null)[]): SignalInputs => {
  const { vix, putCall: putCallRatio, mcclellan: mcclellanOscillator } = readings;
  return {
    fearGreed: of(readings.fearGreed),
    overallStrength: of(readings.overallStrength),
    marketExposure: of(readings.marketExposure),
    sentiment: of(readings.short, readings.medium, readings.long),
    advancedIndicators: {
      session: null,
      parts: indicatorParts({ vix, putCallRatio, mcclellanOscillator }),
    },
    sectors: of(...sectors),
    breadth: of(readings.breadth),
  };
};

/** Inputs around a random level. Some of them are missing, and their scores have six decimals. */
function randomDay(seed: number): { inputs: SignalInputs; readings: Readings } {
  const dice = createDice(seed);
  const level = 25 + dice.below(50);
  const fraction = () => dice.below(1_000_000) / 1_000_000;
  const around = () => Math.min(100, Math.max(0, level + 60 * (fraction() - 0.5)));
  const sometimes = (value: number) => (dice.chance(0.05) ? null : value);
  const score = () => sometimes(around());
  const sectors = Array.from({ length: 11 }, score);
  const known = sectors.filter((one) => one !== null);
  const readings: Readings = {
    fearGreed: score(),
    overallStrength: score(),
    marketExposure: score(),
    short: score(),
    medium: score(),
    long: score(),
    vix: sometimes((100 - around()) / 2),
    putCall: sometimes(1.5 - around() / 100),
    mcclellan: sometimes(around() - 50),
    sectors: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length,
    breadth: score(),
  };
  return { inputs: inputsOf(readings, sectors), readings };
}

/** The flips of every reading on 500 random days, to each verdict next to the verdict of that day. */
const LEVERS = Array.from({ length: 500 }, (_, seed) => randomDay(seed + 1)).flatMap(
  ({ inputs, readings }) => {
    const { verdict, next } = decideSignal(inputs);
    return flips(inputs, readings).flatMap(({ direction, readings: levers }) =>
      levers.map(({ name, flip }) => {
        const { range, sign, quantity } = READINGS[name];
        const towards = (direction === 'up' ? 1 : -1) * sign;
        return { inputs, verdict, next, name, flip, range, quantity, towards, value: readings[name] };
      }),
    );
  },
);
const verdictWith = (inputs: SignalInputs, name: ReadingName, value: number) =>
  decideSignal(withReading(inputs, name, value)).verdict;

describe('the reading that flips the verdict', () => {
  it('flips it on 500 random days, but not if it moves one display step less', () => {
    const found = LEVERS.flatMap(({ flip, ...lever }) => (flip === null ? [] : [{ ...lever, flip }]));
    const wrong = found.filter(({ inputs, verdict, name, flip, quantity, towards, value }) => {
      const decimals = DISPLAYED_DECIMALS[quantity];
      const less = roundTo(flip.to - towards / 10 ** decimals, decimals);
      // The displayed value itself may have another verdict than the value that it is rounded from.
      const isRight =
        verdictWith(inputs, name, flip.to) !== verdict &&
        (less === flip.from || verdictWith(inputs, name, less) === verdict) &&
        flip.from === roundTo(value ?? Number.NaN, decimals) &&
        towards * (flip.to - (value ?? Number.NaN)) > 0;
      return !isRight;
    });
    expect(wrong).toEqual([]);
    expect(found.length).toBeGreaterThan(1_000);
  });

  it('differs from the displayed value, even if that has another verdict than the exact value', () => {
    const readings = Object.fromEntries(READING_NAMES.map((name) => [name, 60.9])) as Readings;
    const own = { ...readings, vix: (100 - 60.9) / 2, putCall: 1.5 - 0.609, mcclellan: 10.9 };
    const around = { ...own, short: 44.96, medium: 69, long: 69.785 };
    const found = flips(inputsOf(around, [60.9]), around).find(({ direction }) => direction === 'up');
    const flipOf = (name: ReadingName) => found?.readings.find((each) => each.name === name)?.flip;
    expect([flipOf('short'), flipOf('medium'), flipOf('long')]).toEqual([
      { from: 45, to: 45.1 },
      { from: 69, to: 69.1 },
      { from: 69.8, to: 69.9 },
    ]);
  });

  it('is null only if no value of the reading flips the verdict', () => {
    const without = LEVERS.filter(({ flip, value }) => flip === null && value !== null);
    const wrong = without.filter(({ inputs, verdict, name, range, towards }) => {
      const end = towards > 0 ? range[1] : range[0];
      return verdictWith(inputs, name, end) !== verdict;
    });
    expect(wrong).toEqual([]);
    expect(without.length).toBeGreaterThan(1_000);
  });

  it('is searched for both verdicts next to HOLD, and for HOLD only from BUY or SELL', () => {
    const all = (level: number) => {
      const readings = Object.fromEntries(READING_NAMES.map((name) => [name, level])) as Readings;
      const own = { ...readings, vix: (100 - level) / 2, putCall: 1.5 - level / 100, mcclellan: level - 50 };
      const inputs = inputsOf(own, [level]);
      return flips(inputs, own).map(({ verdict, direction }) => [verdict, direction]);
    };
    expect(all(50)).toEqual([
      ['BUY', 'up'],
      ['SELL', 'down'],
    ]);
    expect(all(80)).toEqual([['HOLD', 'down']]);
    expect(all(20)).toEqual([['HOLD', 'up']]);
  });
});

it('the verdicts over the range of a reading cover it, and change where a step changes the verdict', () => {
  for (const { inputs, name, quantity, range, value } of LEVERS.slice(0, 600)) {
    if (value === null) continue;
    const ranges = verdictRanges(inputs, name);
    expect([ranges[0]?.from, ranges.at(-1)?.to]).toEqual([...range]);
    const step = 10 ** -DISPLAYED_DECIMALS[quantity];
    for (const [at, { verdict, from, to }] of ranges.entries()) {
      expect(verdictWith(inputs, name, from)).toBe(verdict);
      expect(verdictWith(inputs, name, roundTo(to - step, DISPLAYED_DECIMALS[quantity]))).toBe(verdict);
      expect(to).toBe(ranges[at + 1]?.from ?? range[1]);
      expect(verdict).not.toBe(ranges[at + 1]?.verdict);
    }
  }
});
