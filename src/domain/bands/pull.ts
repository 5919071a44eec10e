import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

/** An input with a score of 55 or more raises the signal; one below 45 lowers it. */
export const PULLS = [
  { from: 55, pull: 'lifts' },
  { from: 45, pull: 'neither' },
  { from: Number.NEGATIVE_INFINITY, pull: 'holdsBack' },
] as const;
export type Pull = (typeof PULLS)[number]['pull'];

/** The direction in which an input's score of 0–100 moves the signal. */
export function pullOf(score: number): Pull {
  return bandFrom(PULLS, asDisplayed('score', score)).pull;
}
