import { DISPLAYED_DECIMALS, roundTo } from '../bands/precision.ts';
import { VERDICTS, type Verdict } from '../bands/score-bands.ts';
import { type SignalInput, weightedScore } from './inputs.ts';

/** One step of a displayed score. */
const STEP = 10 ** -DISPLAYED_DECIMALS.score;

/** Another verdict than that of a displayed score. */
interface OtherVerdict {
  verdict: Verdict;
  direction: 'up' | 'down';
  /** The nearest displayed score of the verdict, and its distance in points. */
  line: number;
  distance: number;
}

/** The verdict that is nearest to a score, apart from the score's own verdict, and the way to reach it. */
export interface NextVerdict extends OtherVerdict {
  /** The smallest change of one input's displayed score that reaches the next verdict; null if no change does. */
  lever: { input: SignalInput; from: number; to: number } | null;
}

/** A row of the breakdown: an input's displayed score (null if it is missing) and its specified weight. */
interface LeverRow {
  input: SignalInput;
  score: number | null;
  weight: number;
}

/** The smallest number from 1 to `most` for which `isEnough` is true, as for all larger ones; null if none. */
export function leastEnough(most: number, isEnough: (steps: number) => boolean): number | null {
  if (most < 1 || !isEnough(most)) return null;
  let [least, enough] = [1, most];
  while (least < enough) {
    const middle = Math.floor((least + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else least = middle + 1;
  }
  return enough;
}

/** The row that brings the score to `line` with the fewest steps; the first of equals. */
function findLever(line: number, sign: 1 | -1, rows: readonly LeverRow[]): NextVerdict['lever'] {
  let lever: NextVerdict['lever'] = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const { input, score } of rows) {
    if (score === null) continue;
    const after = (steps: number) => roundTo(score + sign * steps * STEP, DISPLAYED_DECIMALS.score);
    const totalAt = (own: number) =>
      weightedScore(rows.map((row) => (row.input === input ? { ...row, score: own } : row))) ?? Number.NaN;
    const room = Math.round((sign > 0 ? 100 - score : score) / STEP);
    const steps = leastEnough(
      Math.min(fewest - 1, room),
      (count) => sign * (totalAt(after(count)) - line) >= 0,
    );
    if (steps === null) continue;
    fewest = steps;
    lever = { input, from: score, to: after(steps) };
  }
  return lever;
}

/** The other verdicts, from the lowest verdict to the highest. */
export function otherVerdicts(score: number): OtherVerdict[] {
  const own = VERDICTS.findIndex(({ from }) => score >= from);
  return VERDICTS.flatMap(({ verdict, from }, index): OtherVerdict[] => {
    if (index === own) return [];
    const direction = index < own ? 'up' : 'down';
    const line =
      direction === 'up' ? from : roundTo((VERDICTS[index - 1]?.from ?? 0) - STEP, DISPLAYED_DECIMALS.score);
    const distance = roundTo(Math.abs(line - score), DISPLAYED_DECIMALS.score);
    return [{ verdict, direction, line, distance }];
  }).reverse();
}

/** Returns the other verdict that is nearest to a displayed score; the higher one if two are at the same distance. */
export function nextVerdict(score: number, rows: readonly LeverRow[]): NextVerdict {
  const nearest = otherVerdicts(score).reduce((near, one) => (one.distance <= near.distance ? one : near));
  return { ...nearest, lever: findLever(nearest.line, nearest.direction === 'up' ? 1 : -1, rows) };
}
