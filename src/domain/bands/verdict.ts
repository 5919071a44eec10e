import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';
import { VERDICTS } from './verdict-bands.ts';

export { VERDICTS };
export type Verdict = (typeof VERDICTS)[number]['verdict'];

/** The verdict of a weighted score of 0–100. */
export function verdictOf(score: number): Verdict {
  return bandFrom(VERDICTS, asDisplayed('score', score)).verdict;
}
