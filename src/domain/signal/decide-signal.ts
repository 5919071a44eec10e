import { asDisplayed, roundTo } from '../bands/precision.ts';
import { type Verdict, verdictOf } from '../bands/score-bands.ts';
import { mean } from '../statistics.ts';
import {
  type InputAge,
  type InputAges,
  inputAges,
  SIGNAL_INPUTS,
  SIGNAL_WEIGHTS,
  type SignalInput,
  type SignalInputs,
  weightedScore,
} from './inputs.ts';
import { type NextVerdict, nextVerdict } from './next-verdict.ts';

/** Every issued signal stores it: increase it with any change of weights, thresholds, shares, clamps or rounding. */
export const SIGNAL_FORMULA = '3';

/** Percent of the weight that must be measured for a verdict (specification, reading 6). */
export const ENOUGH_WEIGHT = 70;
/** Minimum share of measured parts for an input to have a score: two of three, eight of eleven. */
export const ENOUGH_PARTS = 2 / 3;

/** One input in the breakdown. Its numbers are null if the input is missing. */
export interface BreakdownRow {
  input: SignalInput;
  /** Percent of the total, as specified. */
  weight: number;
  /** Percent of the measured weight, not rounded; null if the input is missing or there is no verdict. */
  share: number | null;
  /** The input's own score of 0–100, rounded as displayed. */
  score: number | null;
  /** Score times share, not rounded. Null if the input is missing or there is no verdict. */
  points: number | null;
  /** Number of the input's parts. */
  parts: number;
  /** The names of its missing parts; null for a part without a known name. */
  missing: readonly (string | null)[];
  /** The session of the input's rows; null without rows. */
  session: string | null;
  age: InputAge;
}

export interface Signal {
  verdict: Verdict | 'insufficient';
  /** 0–100 to one decimal, as displayed; null if insufficient. */
  score: number | null;
  /** The score with all missing parts at 0, and at 100. Null if nothing is missing, or if insufficient. */
  range: { low: number; high: number } | null;
  /** Number of the seven inputs that have a score. */
  present: number;
  /** Percent of the weight that is measured, parts of an input counted by their share. It decides whether there is a verdict. */
  weightMeasured: number;
  rows: readonly BreakdownRow[];
  next: NextVerdict | null;
}

type MeasuredInput = Omit<BreakdownRow, 'share' | 'points'>;

/** The mean of the measured parts of an input. No score if too few are measured, or if they are too old. */
function measure(inputs: SignalInputs, input: SignalInput, ages: InputAges): MeasuredInput {
  const { parts } = inputs[input];
  const { session, age } = ages[input];
  const weight = SIGNAL_WEIGHTS[input];
  const scores = parts.map((part) => part.score).filter((score) => score !== null);
  const missing = parts.filter((part) => part.score === null).map((part) => part.name);
  const row = { input, weight, parts: parts.length, missing, session, age };
  const enough = scores.length > 0 && scores.length >= parts.length * ENOUGH_PARTS;
  return { ...row, score: enough && age !== 'expired' ? asDisplayed('score', mean(scores)) : null };
}

/** The weight (percent) of an input's parts that are measured and used. */
function measuredWeight({ score, weight, parts, missing }: MeasuredInput): number {
  return score === null ? 0 : (weight * (parts - missing.length)) / parts;
}

/** The percent of the total weight that `rows` measure; `enough` is true if a verdict needs no more. */
function measuredShare(rows: readonly MeasuredInput[]): { weightMeasured: number; enough: boolean } {
  const weightMeasured = rows.reduce((sum, row) => sum + measuredWeight(row), 0);
  return { weightMeasured, enough: weightMeasured >= ENOUGH_WEIGHT - 1e-9 };
}

/** Removes the binary errors of a sum, so that 49.95 rounds up. */
const exactly = (sum: number) => roundTo(sum, 9);

/** The signal of the displayed scores (specification, readings 6, 7, 22, 26). Others share a missing weight. */
export function decideSignal(inputs: SignalInputs): Signal {
  const ages = inputAges(inputs);
  const measured = SIGNAL_INPUTS.map((input) => measure(inputs, input, ages));
  const present = measured.filter((row) => row.score !== null);
  const weightPresent = present.reduce((sum, row) => sum + row.weight, 0);
  const { weightMeasured, enough } = measuredShare(present);

  const rows = measured.map((row) => {
    if (row.score === null || !enough) return { ...row, share: null, points: null };
    const share = (row.weight * 100) / weightPresent;
    return { ...row, share, points: (row.score * row.weight) / weightPresent };
  });
  const score = enough ? weightedScore(rows) : null;

  // Each measured part keeps its own weight here, so the range also covers missing parts of an input.
  const low = present.reduce((sum, row) => sum + (measuredWeight(row) * (row.score ?? 0)) / 100, 0);
  const unknown = 100 - weightMeasured;
  return {
    verdict: score === null ? 'insufficient' : verdictOf(score),
    score,
    range:
      score === null || unknown < 1e-9
        ? null
        : { low: asDisplayed('score', exactly(low)), high: asDisplayed('score', exactly(low + unknown)) },
    present: present.length,
    weightMeasured,
    rows,
    next: score === null ? null : nextVerdict(score, rows),
  };
}

/** The verdict without an input, whose weight the others share; null if it is missing or too much of the weight. */
export function verdictWithout({ verdict, rows }: Signal, input: SignalInput): Verdict | null {
  const measured = rows.filter((row) => row.score !== null);
  const others = measured.filter((row) => row.input !== input);
  const score = weightedScore(others);
  const isOpen = verdict === 'insufficient' || others.length === measured.length;
  return isOpen || score === null || !measuredShare(others).enough ? null : verdictOf(score);
}
