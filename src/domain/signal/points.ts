import { asDisplayed } from '../bands/precision.ts';

/**
 * Points of an input: its displayed score times its displayed weight (percent). If the weight is a whole percent, the
 * product has at most three decimals, so rounding loses nothing.
 */
export function pointsOf(score: number, weight: number): number {
  return asDisplayed('points', (score * weight) / 100);
}

/** The displayed score: the sum of the displayed points. */
export function scoreOf(points: readonly number[]): number {
  const sum = points.reduce((total, one) => total + one, 0);
  // Removes binary rounding errors of the sum, so that 60.95 rounds up.
  return asDisplayed('score', asDisplayed('points', sum));
}
