import { asDisplayed } from '#domain/bands/precision.ts';
import { fearGreedBand } from '#domain/bands/score-bands.ts';
import type { FearGreedReading } from './model.ts';
import { figureOf } from './number.ts';

/** A value of 0–100 as shown, with the word and zone of the shown number. */
export function fearGreedReading(index: number): FearGreedReading {
  const { label, zone } = fearGreedBand(index);
  return { value: asDisplayed('score', index), text: figureOf('score', index).text, label, zone };
}
