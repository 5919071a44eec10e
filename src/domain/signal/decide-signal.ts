import { asDisplayed } from '../bands/precision.ts';
import { type Verdict, verdictOf } from '../bands/verdict.ts';
import { type InputAge, type InputAges, inputAges } from './input-age.ts';
import { SIGNAL_INPUTS, SIGNAL_WEIGHTS, type SignalInput, type SignalInputs } from './inputs.ts';
import { type NextVerdict, nextVerdict } from './next-verdict.ts';
import { pointsOf, scoreOf } from './points.ts';

/**
 * The version of the signal's formula: its weights, thresholds, shares, clamps and roundings. It is kept with every signal that
 * is issued, so it changes whenever one of them does.
 */
export const SIGNAL_FORMULA = '2';

/** Reading 6: percent of the weight that has to be measured for a verdict. */
export const ENOUGH_WEIGHT = 70;
/** An input stands on its parts when at least this share of them is measured: two of three, eight of eleven. */
export const ENOUGH_PARTS = 2 / 3;

/** One input in the breakdown. Every number is as displayed, and null when the input is missing. */
export interface BreakdownRow {
  input: SignalInput;
  /** Percent of the whole, as specified. */
  weight: number;
  /** Percent of what is present. Null without a verdict as well. */
  share: number | null;
  /** The input's own score of 0–100. */
  score: number | null;
  /** Score times share; the sum of all rows, to one decimal, is the signal's score. Null without a verdict as well. */
  points: number | null;
  /** Number of the input's parts. */
  parts: number;
  /** The names of its parts that were not measured; null for a part whose name is not known. */
  missing: readonly (string | null)[];
  /** The session of the input's rows; null without any. */
  session: string | null;
  age: InputAge;
}

export interface Signal {
  verdict: Verdict | 'insufficient';
  /** 0–100 to one decimal, as shown; null when insufficient. */
  score: number | null;
  /** The score with everything missing at 0, and at 100. Null when nothing is missing, or insufficient. */
  range: { low: number; high: number } | null;
  /** Number of the seven inputs that have a score. */
  present: number;
  rows: readonly BreakdownRow[];
  next: NextVerdict | null;
}

type MeasuredInput = Omit<BreakdownRow, 'share' | 'points'> & {
  /** The weight of the parts that are measured and used. */
  measured: number;
};

/** The mean of the measured parts of an input; no score when too few are measured, or when they are too old. */
function measure(inputs: SignalInputs, input: SignalInput, ages: InputAges): MeasuredInput {
  const { parts } = inputs[input];
  const { session, age } = ages[input];
  const weight = SIGNAL_WEIGHTS[input];
  const scores = parts.map((part) => part.score).filter((score) => score !== null);
  const missing = parts.filter((part) => part.score === null).map((part) => part.name);
  const row = { input, weight, parts: parts.length, missing, session, age };
  const enough = scores.length > 0 && scores.length >= parts.length * ENOUGH_PARTS;
  if (!enough || age === 'expired') return { ...row, score: null, measured: 0 };
  const mean = scores.reduce((sum, value) => sum + value, 0) / scores.length;
  return { ...row, score: asDisplayed('score', mean), measured: (weight * scores.length) / parts.length };
}

/**
 * The weighted signal, readings 6, 7, 22 and 24. It is computed from the displayed scores and weights, so that
 * the rows add up to it. A missing input leaves its weight to the others; so does a missing part within its input.
 */
export function decideSignal(inputs: SignalInputs): Signal {
  const ages = inputAges(inputs);
  const measured = SIGNAL_INPUTS.map((input) => measure(inputs, input, ages));
  const present = measured.filter((row) => row.score !== null);
  const weightPresent = present.reduce((sum, row) => sum + row.weight, 0);
  const weightMeasured = present.reduce((sum, row) => sum + row.measured, 0);
  const enough = weightMeasured >= ENOUGH_WEIGHT - 1e-9;

  const rows = measured.map(({ measured: _, ...row }) => {
    if (row.score === null || !enough) return { ...row, share: null, points: null };
    const share = asDisplayed('weight', (row.weight * 100) / weightPresent);
    return { ...row, share, points: pointsOf(row.score, share) };
  });
  const score = enough ? scoreOf(rows.map(({ points }) => points ?? 0)) : null;

  // Each measured part keeps its own weight here, so the range also holds a part missing within an input.
  const low = present.reduce((sum, row) => sum + (row.measured * (row.score ?? 0)) / 100, 0);
  const unknown = 100 - weightMeasured;
  return {
    verdict: score === null ? 'insufficient' : verdictOf(score),
    score,
    range:
      score === null || unknown < 1e-9
        ? null
        : { low: asDisplayed('score', low), high: asDisplayed('score', low + unknown) },
    present: present.length,
    rows,
    next: score === null ? null : nextVerdict(score, rows),
  };
}
