import type { Tone } from './score-bands.ts';

/** Lower edges of the second, third and fourth step of a change, in percent. */
export const CHANGE_STEPS = [1, 2, 3] as const;

/** The colour of a change in percent, as displayed: its tone, and its strength from 0 (unchanged) to 4. */
export function changeStep(change: number): { tone: Tone; step: number } {
  if (change === 0) return { tone: 'neutral', step: 0 };
  const size = Math.abs(change);
  const step = 1 + CHANGE_STEPS.filter((edge) => size >= edge).length;
  return { tone: change > 0 ? 'positive' : 'negative', step };
}
