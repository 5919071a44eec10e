import { DISPLAYED_DECIMALS, roundTo } from '../bands/precision.ts';
import { VERDICTS, type Verdict } from '../bands/verdict.ts';
import type { SignalInput } from './inputs.ts';
import { pointsOf, scoreOf } from './points.ts';

/** Displayed scores per point, which have one decimal. */
const STEPS_PER_POINT = 10 ** DISPLAYED_DECIMALS.score;
const STEP = 1 / STEPS_PER_POINT;
/** Maximum steps of an input's own score for it to be named as sufficient. */
const PLAUSIBLE_STEPS = 25 * STEPS_PER_POINT;

/** The nearest other verdict, and how to reach it from a score. */
export interface NextVerdict {
  verdict: Verdict;
  direction: 'up' | 'down';
  /** Points from the displayed score to the first displayed score of that verdict. */
  distance: number;
  /**
   * The input that reaches it with the smallest change of its displayed score, and the nearest such score; null if none
   * can within 25.
   */
  lever: { input: SignalInput; from: number; to: number } | null;
}

/** A row of the breakdown with its three displayed numbers; all are null if the input is missing. */
interface LeverRow {
  input: SignalInput;
  score: number | null;
  share: number | null;
  points: number | null;
}

/**
 * The smallest whole number from 1 to `most` that is enough; null if none is. Requires that larger numbers are enough
 * as well.
 */
function leastEnough(most: number, isEnough: (steps: number) => boolean): number | null {
  if (most < 1 || !isEnough(most)) return null;
  let [least, enough] = [1, most];
  while (least < enough) {
    const middle = Math.floor((least + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else least = middle + 1;
  }
  return enough;
}

/** The row that brings the score to `line` with the fewest steps of its own score; the first of several. */
function findLever(line: number, sign: 1 | -1, rows: readonly LeverRow[]): NextVerdict['lever'] {
  let lever: NextVerdict['lever'] = null;
  let fewest = PLAUSIBLE_STEPS + 1;
  for (const { input, score, share, points } of rows) {
    if (score === null || share === null || points === null) continue;
    const others = rows.map((row) => (row.input === input ? 0 : (row.points ?? 0)));
    const after = (steps: number) => roundTo(score + sign * steps * STEP, DISPLAYED_DECIMALS.score);
    const room = Math.round((sign > 0 ? 100 - score : score) / STEP);
    const steps = leastEnough(
      Math.min(fewest - 1, room),
      (count) => sign * (scoreOf([...others, pointsOf(after(count), share)]) - line) >= 0,
    );
    if (steps === null) continue;
    fewest = steps;
    lever = { input, from: score, to: after(steps) };
  }
  return lever;
}

/** The nearest other verdict of a displayed score; the higher of two at the same distance. */
export function nextVerdict(score: number, rows: readonly LeverRow[]): NextVerdict {
  const index = VERDICTS.findIndex(({ from }) => score >= from);
  const above = VERDICTS[index - 1];
  const below = VERDICTS[index + 1];
  const floor = roundTo((VERDICTS[index]?.from ?? 0) - STEP, DISPLAYED_DECIMALS.score);
  const ways: NextVerdict[] = [];
  if (above !== undefined) {
    const lever = findLever(above.from, 1, rows);
    const distance = roundTo(above.from - score, DISPLAYED_DECIMALS.score);
    ways.push({ verdict: above.verdict, direction: 'up', distance, lever });
  }
  if (below !== undefined) {
    const lever = findLever(floor, -1, rows);
    const distance = roundTo(score - floor, DISPLAYED_DECIMALS.score);
    ways.push({ verdict: below.verdict, direction: 'down', distance, lever });
  }
  return ways.reduce((nearest, way) => (way.distance < nearest.distance ? way : nearest));
}
