import { bandFrom } from './band.ts';
import { FEAR_GREED_BANDS } from './fear-greed-bands.ts';
import { asDisplayed } from './precision.ts';

export { FEAR_GREED_BANDS };
export type FearGreedBand = (typeof FEAR_GREED_BANDS)[number];
export type FearGreedZone = FearGreedBand['zone'];
export type FearGreedLabel = FearGreedBand['label'];

/** The band of an index or component value of 0–100. */
export function fearGreedBand(value: number): FearGreedBand {
  return bandFrom(FEAR_GREED_BANDS, asDisplayed('score', value));
}

/**
 * Bands of the Fear & Greed insight (specification, section 4): bullish from 55, neutral from 45, otherwise bearish.
 */
export const INSIGHT_DOTS = [
  { from: 55, dot: 'bullish', label: 'Bullish' },
  { from: 45, dot: 'neutral', label: 'Neutral' },
  { from: Number.NEGATIVE_INFINITY, dot: 'bearish', label: 'Bearish' },
] as const;
export type InsightDot = (typeof INSIGHT_DOTS)[number]['dot'];

/** Returns the dot beside the Fear & Greed insight, by the value of the index. */
export function fearGreedDot(value: number): (typeof INSIGHT_DOTS)[number] {
  return bandFrom(INSIGHT_DOTS, asDisplayed('score', value));
}
