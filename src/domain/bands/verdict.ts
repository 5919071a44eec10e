import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

/** BUY at 61.0 and above, HOLD from 41.0, SELL below. */
export const VERDICTS = [
  { from: 61, verdict: 'BUY' },
  { from: 41, verdict: 'HOLD' },
  { from: Number.NEGATIVE_INFINITY, verdict: 'SELL' },
] as const;
export type Verdict = (typeof VERDICTS)[number]['verdict'];

/** The verdict of a weighted score of 0–100. */
export function verdictOf(score: number): Verdict {
  return bandFrom(VERDICTS, asDisplayed('score', score)).verdict;
}
