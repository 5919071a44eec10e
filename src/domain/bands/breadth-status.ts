import type { Tone } from './band.ts';
import { asDisplayed } from './precision.ts';

/** Advance/decline ratio: advancing stocks divided by declining stocks, or by 1 if no stock declined. */
export function breadthRatio(advancing: number, declining: number): number {
  return advancing / Math.max(declining, 1);
}

/** The advance/decline ratio is green above this value. */
export const GREEN_ABOVE = 1;

/** The status of an advance/decline ratio: positive above 1, negative below 1, otherwise neutral. */
export function breadthStatus(ratio: number): Tone {
  const displayed = asDisplayed('ratio', ratio);
  if (displayed > GREEN_ABOVE) return 'positive';
  return displayed < GREEN_ABOVE ? 'negative' : 'neutral';
}
