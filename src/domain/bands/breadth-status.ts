import type { Tone } from './band.ts';
import { asDisplayed } from './precision.ts';

/** Advancing divided by the larger of declining and 1. */
export function breadthRatio(advancing: number, declining: number): number {
  return advancing / Math.max(declining, 1);
}

/** Above this the advance/decline ratio is green. */
export const GREEN_ABOVE = 1;

/** The status of an advance/decline ratio: above 1 positive, below negative. */
export function breadthStatus(ratio: number): Tone {
  const displayed = asDisplayed('ratio', ratio);
  if (displayed > GREEN_ABOVE) return 'positive';
  return displayed < GREEN_ABOVE ? 'negative' : 'neutral';
}
