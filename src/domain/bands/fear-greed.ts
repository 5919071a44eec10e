import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

/** Specification, section 9: under 25, 45, 55, 75. */
export const FEAR_GREED_BANDS = [
  { from: 75, zone: 'extreme-greed', label: 'Extreme Greed' },
  { from: 55, zone: 'greed', label: 'Greed' },
  { from: 45, zone: 'neutral', label: 'Neutral' },
  { from: 25, zone: 'fear', label: 'Fear' },
  { from: Number.NEGATIVE_INFINITY, zone: 'extreme-fear', label: 'Extreme Fear' },
] as const;
export type FearGreedBand = (typeof FEAR_GREED_BANDS)[number];
export type FearGreedZone = FearGreedBand['zone'];
export type FearGreedLabel = FearGreedBand['label'];

/** The band of an index or component value of 0–100. */
export function fearGreedBand(value: number): FearGreedBand {
  return bandFrom(FEAR_GREED_BANDS, asDisplayed('score', value));
}

/** Specification, section 4: 55 or more bullish, 45 or more neutral, else bearish. */
export const INSIGHT_DOTS = [
  { from: 55, dot: 'bullish', label: 'Bullish' },
  { from: 45, dot: 'neutral', label: 'Neutral' },
  { from: Number.NEGATIVE_INFINITY, dot: 'bearish', label: 'Bearish' },
] as const;
export type InsightDot = (typeof INSIGHT_DOTS)[number]['dot'];

/** The dot of the Fear & Greed insight. */
export function fearGreedDot(value: number): (typeof INSIGHT_DOTS)[number] {
  return bandFrom(INSIGHT_DOTS, asDisplayed('score', value));
}
