import type { Tone } from '#domain/bands/band.ts';

/** The tone of a change as displayed. */
export function toneOfChange(change: number): Tone {
  if (change === 0) return 'neutral';
  return change > 0 ? 'positive' : 'negative';
}
