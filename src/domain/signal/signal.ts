import { asDisplayed, DISPLAYED_DECIMALS } from '../bands/precision.ts';
import { type Verdict, verdictOf } from '../bands/verdict.ts';
import { apportion } from './apportion.ts';
import { SIGNAL_INPUTS, SIGNAL_WEIGHTS, type SignalInput, type SignalInputs } from './inputs.ts';
import { type NextVerdict, nextVerdict } from './next-verdict.ts';

/** Reading 6: percent of the weight that has to be measured for a verdict. */
export const ENOUGH_WEIGHT = 70;
/** An input stands on its parts when at least this share of them is measured: two of three, eight of eleven. */
export const ENOUGH_PARTS = 2 / 3;

/** One input in the breakdown. Everything measured is null when the input is missing. */
export interface BreakdownRow {
  input: SignalInput;
  /** Percent of the whole, as specified. */
  weight: number;
  /** Percent of what is present; the shares add up to 100.0. Null for a missing input, and without a verdict. */
  share: number | null;
  /** The input's own score of 0–100, not rounded. */
  score: number | null;
  /** One decimal; the points of all rows add up to the signal's score. Null without a verdict. */
  points: number | null;
  /** The names of its parts that were not measured. */
  missing: readonly string[];
}

export interface Signal {
  verdict: Verdict | 'insufficient';
  /** 0–100 to one decimal, as shown; null when insufficient. */
  score: number | null;
  /** The score with everything missing at 0, and at 100. Null when nothing is missing, or insufficient. */
  range: { low: number; high: number } | null;
  /** How many of the seven inputs have a score. */
  present: number;
  rows: readonly BreakdownRow[];
  next: NextVerdict | null;
}

interface MeasuredInput {
  input: SignalInput;
  weight: number;
  score: number | null;
  /** The weight of the parts that are measured and used. */
  measured: number;
  missing: string[];
}

/** The mean of the measured parts of an input, or null when too few of them are. */
function measure(inputs: SignalInputs, input: SignalInput): MeasuredInput {
  const parts = inputs[input];
  const weight = SIGNAL_WEIGHTS[input];
  const scores = parts.map((part) => part.score).filter((score) => score !== null);
  const missing = parts.filter((part) => part.score === null).map((part) => part.name);
  const enough = scores.length > 0 && scores.length >= parts.length * ENOUGH_PARTS;
  if (!enough) return { input, weight, score: null, measured: 0, missing };
  const score = scores.reduce((sum, value) => sum + value, 0) / scores.length;
  return { input, weight, score, measured: (weight * scores.length) / parts.length, missing };
}

/**
 * The weighted signal, readings 6 and 7. With every part measured it is exactly the specified weighted
 * score. A missing input leaves its weight to the others; so does a missing part within its input.
 */
export function decideSignal(inputs: SignalInputs): Signal {
  const measured = SIGNAL_INPUTS.map((input) => measure(inputs, input));
  const present = measured.filter((row) => row.score !== null);
  const weightPresent = present.reduce((sum, row) => sum + row.weight, 0);
  const weightMeasured = present.reduce((sum, row) => sum + row.measured, 0);
  const scaled = (row: MeasuredInput) => (row.score === null ? 0 : (row.weight * row.score) / weightPresent);
  const raw = present.reduce((sum, row) => sum + scaled(row), 0);

  const enough = weightMeasured >= ENOUGH_WEIGHT - 1e-9;
  const score = enough ? asDisplayed('score', raw) : null;
  const decimals = DISPLAYED_DECIMALS.score;
  const points = score === null ? null : apportion(measured.map(scaled), score, decimals);
  const rescaled = measured.map((row) => (row.score === null ? 0 : (row.weight * 100) / weightPresent));
  const shares = score === null ? null : apportion(rescaled, 100, decimals);

  const rows = measured.map((row, index) => ({
    input: row.input,
    weight: row.weight,
    share: row.score === null ? null : (shares?.[index] ?? null),
    score: row.score,
    points: row.score === null ? null : (points?.[index] ?? null),
    missing: row.missing,
  }));
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
    next: score === null ? null : nextVerdict(score, raw, rows, weightPresent),
  };
}
