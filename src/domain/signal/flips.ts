import { DISPLAYED_DECIMALS, type Quantity, roundTo } from '../bands/precision.ts';
import { VERDICTS, type Verdict } from '../bands/score-bands.ts';
import { decideSignal } from './decide-signal.ts';
import { indicatorParts, type SignalInput, type SignalInputs, type SignalPart } from './inputs.ts';
import { leastEnough } from './next-verdict.ts';

/** A number that the signal is decided from, in its own unit. */
interface Reading {
  readonly input: SignalInput;
  readonly quantity: Quantity;
  /** The range of values that is searched. A value outside this range gives the same score as the nearer end. */
  readonly range: readonly [least: number, most: number];
  /** 1 if a higher value raises the score, otherwise −1. */
  readonly sign: 1 | -1;
  /** Index of the reading among the parts of its input; null if the reading is the mean of all parts. */
  readonly part: number | null;
  readonly scoreOf: (value: number) => number | null;
}

const score = (input: SignalInput, part: number | null): Reading => ({
  input,
  part,
  quantity: 'score',
  range: [0, 100],
  sign: 1,
  scoreOf: (value) => value,
});

/** A reading that is the part at a place of the advanced indicators, by its name among their numbers. */
const indicator = (
  part: number,
  name: keyof Parameters<typeof indicatorParts>[0],
  rest: Pick<Reading, 'quantity' | 'range' | 'sign'>,
): Reading => {
  const unknown = { vix: null, putCallRatio: null, mcclellanOscillator: null };
  const scoreOf = (value: number) => indicatorParts({ ...unknown, [name]: value })[part]?.score ?? null;
  return { input: 'advancedIndicators', part, scoreOf, ...rest };
};

/** The readings of the signal, in display order. */
export const READINGS = {
  fearGreed: score('fearGreed', 0),
  overallStrength: score('overallStrength', 0),
  marketExposure: score('marketExposure', 0),
  short: score('sentiment', 0),
  medium: score('sentiment', 1),
  long: score('sentiment', 2),
  vix: indicator(0, 'vix', { quantity: 'vix', range: [0, 50], sign: -1 }),
  putCall: indicator(1, 'putCallRatio', { quantity: 'ratio', range: [0, 1.5], sign: -1 }),
  mcclellan: indicator(2, 'mcclellanOscillator', { quantity: 'mcclellan', range: [-50, 50], sign: 1 }),
  sectors: score('sectors', null),
  breadth: score('breadth', 0),
} as const satisfies Record<string, Reading>;
export type ReadingName = keyof typeof READINGS;
export const READING_NAMES = Object.keys(READINGS) as readonly ReadingName[];

/** The value of each reading in its own unit; null if it is missing. */
export type Readings = Readonly<Record<ReadingName, number | null>>;

/** Returns the inputs with one reading set to another value. A missing part stays missing. */
export function withReading(inputs: SignalInputs, name: ReadingName, value: number): SignalInputs {
  const { input, part, scoreOf } = READINGS[name];
  const { parts, ...rest } = inputs[input];
  const changed = (one: SignalPart, place: number) =>
    one.score !== null && (part === null || part === place) ? { ...one, score: scoreOf(value) } : one;
  return { ...inputs, [input]: { ...rest, parts: parts.map(changed) } };
}

const rankOf = (verdict: string) => VERDICTS.findIndex((band) => band.verdict === verdict);

/** The change of a reading from its displayed value to the nearest displayed one that changes the verdict; null without one. */
function flipOf(inputs: SignalInputs, name: ReadingName, value: number, direction: 'up' | 'down') {
  const { quantity, range, sign } = READINGS[name];
  const current = rankOf(decideSignal(inputs).verdict);
  const decimals = DISPLAYED_DECIMALS[quantity];
  const perUnit = 10 ** decimals;
  const up = (direction === 'up' ? 1 : -1) * sign;
  const from = roundTo(value, decimals);
  // The search starts at the displayed value, in display steps, so that the result always differs from it.
  const start = Math.round(from * perUnit);
  const most = Math.round(up * (up > 0 ? range[1] : range[0]) * perUnit) - up * start;
  const after = (steps: number) => roundTo((start + up * steps) / perUnit, decimals);
  const steps = leastEnough(most, (count) => {
    const rank = rankOf(decideSignal(withReading(inputs, name, after(count))).verdict);
    return direction === 'up' ? rank < current : rank > current;
  });
  return steps === null ? null : { from, to: after(steps) };
}

/**
 * For the verdicts above and below, the flip of each reading that moves the signal there alone; null if the reading is
 * missing, or if none of its values does.
 */
export function flips(inputs: SignalInputs, readings: Readings) {
  const current = rankOf(decideSignal(inputs).verdict);
  if (current < 0) return [];
  return (['up', 'down'] as const).flatMap((direction) => {
    const band = VERDICTS[current + (direction === 'up' ? -1 : 1)];
    if (band === undefined) return [];
    const found = READING_NAMES.map((name) => {
      const value = readings[name];
      return { name, flip: value === null ? null : flipOf(inputs, name, value, direction) };
    });
    return [{ verdict: band.verdict, direction, readings: found }];
  });
}
export type FlipsTo = ReturnType<typeof flips>[number];

/** The verdict at each displayed value of a reading while all other readings stay the same, ascending by value. */
export function verdictRanges(inputs: SignalInputs, name: ReadingName) {
  const { quantity, range } = READINGS[name];
  const perUnit = 10 ** DISPLAYED_DECIMALS[quantity];
  const most = Math.round((range[1] - range[0]) * perUnit);
  const valueAt = (step: number) => roundTo(range[0] + step / perUnit, DISPLAYED_DECIMALS[quantity]);
  const verdictAt = (step: number) => decideSignal(withReading(inputs, name, valueAt(step))).verdict;
  const found: { readonly verdict: Verdict; readonly from: number; readonly to: number }[] = [];
  for (let start = 0; start < most; ) {
    const verdict = verdictAt(start);
    if (verdict === 'insufficient') return [];
    const end =
      start + (leastEnough(most - start, (steps) => verdictAt(start + steps) !== verdict) ?? most - start);
    found.push({ verdict, from: valueAt(start), to: valueAt(end) });
    start = end;
  }
  return found;
}
