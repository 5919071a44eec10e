import { asDisplayed, DISPLAYED_DECIMALS, roundTo } from '../bands/precision.ts';
import { VERDICTS, type Verdict } from '../bands/verdict.ts';
import type { SignalInput } from './inputs.ts';

/** The smallest step of a displayed score. */
const STEP = 10 ** -DISPLAYED_DECIMALS.score;
/** The most an input's own score may change to be named as enough alone; further is no prospect. */
const PLAUSIBLE_CHANGE = 25;

/** The way from a score to the nearest other verdict. */
export interface NextVerdict {
  verdict: Verdict;
  direction: 'up' | 'down';
  /** Points from the displayed score to the first displayed score of that verdict. */
  distance: number;
  /** The one input that gets there with the smallest change of its own; null when none can alone, within 25. */
  lever: { input: SignalInput; from: number; to: number } | null;
}

interface LeverRow {
  input: SignalInput;
  weight: number;
  score: number | null;
}

/** The row that reaches `line` with the least change of its own score. */
function findLever(line: number, raw: number, rows: readonly LeverRow[], weightPresent: number) {
  let best: { input: SignalInput; from: number; to: number; change: number } | null = null;
  for (const { input, weight, score } of rows) {
    if (score === null) continue;
    const change = ((line - raw) * weightPresent) / weight;
    // Rounded away from where it stands, so that the number named is enough.
    const target = (change > 0 ? Math.ceil : Math.floor)((score + change) / STEP) * STEP;
    const to = asDisplayed('score', target);
    const from = asDisplayed('score', score);
    const shown = roundTo(Math.abs(to - from), DISPLAYED_DECIMALS.score);
    if (to < 0 || to > 100 || shown > PLAUSIBLE_CHANGE) continue;
    if (best === null || Math.abs(change) < best.change) best = { input, from, to, change: Math.abs(change) };
  }
  return best === null ? null : { input: best.input, from: best.from, to: best.to };
}

/**
 * The nearest other verdict of a displayed score; between two as near as each other, the higher. `raw` is
 * the score before rounding, `weightPresent` the percent of weight the rows carry.
 */
export function nextVerdict(
  score: number,
  raw: number,
  rows: readonly LeverRow[],
  weightPresent: number,
): NextVerdict {
  const index = VERDICTS.findIndex(({ from }) => score >= from);
  const above = VERDICTS[index - 1];
  const below = VERDICTS[index + 1];
  const floor = (VERDICTS[index]?.from ?? 0) - STEP;
  const ways: NextVerdict[] = [];
  if (above !== undefined) {
    const lever = findLever(above.from, raw, rows, weightPresent);
    const distance = roundTo(above.from - score, DISPLAYED_DECIMALS.score);
    ways.push({ verdict: above.verdict, direction: 'up', distance, lever });
  }
  if (below !== undefined) {
    const lever = findLever(floor, raw, rows, weightPresent);
    const distance = roundTo(score - floor, DISPLAYED_DECIMALS.score);
    ways.push({ verdict: below.verdict, direction: 'down', distance, lever });
  }
  return ways.reduce((nearest, way) => (way.distance < nearest.distance ? way : nearest));
}
