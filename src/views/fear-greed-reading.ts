import { FEAR_GREED_BANDS, fearGreedBand } from '#domain/bands/fear-greed.ts';
import { asDisplayed } from '#domain/bands/precision.ts';
import type { FearGreedReading, FearGreedView } from './model.ts';
import { figureOf } from './number.ts';

/** A value of 0–100 as shown, with the word and zone of the shown number. */
export function fearGreedReading(index: number): FearGreedReading {
  const { label, zone } = fearGreedBand(index);
  return { value: asDisplayed('score', index), text: figureOf('score', index).text, label, zone };
}

const END = 100;

/** The zones of the gauge from 0 to 100. */
export function fearGreedZones(): FearGreedView['zones'] {
  return FEAR_GREED_BANDS.map(({ zone, label, from }, index) => ({
    zone,
    label,
    from: Math.max(from, 0),
    to: FEAR_GREED_BANDS[index - 1]?.from ?? END,
  })).reverse();
}
