import { asDisplayed } from '../bands/precision.ts';

/** An input's displayed score (null if it is missing) and its specified weight in percent. */
interface Weighted {
  readonly score: number | null;
  readonly weight: number;
}

/**
 * The score of the signal: the mean of the displayed scores of the present inputs by weight, exact until it is rounded
 * once (specification, reading 26). Null without an input.
 */
export function weightedScore(rows: readonly Weighted[]): number | null {
  const present = rows.flatMap(({ score, weight }) => (score === null ? [] : { score, weight }));
  const weight = present.reduce((total, row) => total + row.weight, 0);
  const sum = present.reduce((total, row) => total + row.score * row.weight, 0);
  // Whole percents of scores with one decimal: this rounding only removes binary errors, so that 60.95 rounds up.
  return weight === 0 ? null : asDisplayed('score', asDisplayed('score', sum) / weight);
}
