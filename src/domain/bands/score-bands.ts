import { bandFrom, type Tone } from './band.ts';
import { asDisplayed } from './precision.ts';
import { FEAR_GREED_BANDS, VERDICTS } from './zone-bands.ts';

export { FEAR_GREED_BANDS, VERDICTS };

export type Verdict = (typeof VERDICTS)[number]['verdict'];

/** The band of a score of 0–100, rounded as displayed. */
export const scoreBand = <Band extends { readonly from: number }>(bands: readonly Band[], score: number) =>
  bandFrom(bands, asDisplayed('score', score));

/** The verdict of a weighted score of 0–100. */
export const verdictOf = (score: number): Verdict => scoreBand(VERDICTS, score).verdict;

export type FearGreedLabel = (typeof FEAR_GREED_BANDS)[number]['label'];

/** The band of an index or component value of 0–100. */
export const fearGreedBand = (value: number) => scoreBand(FEAR_GREED_BANDS, value);

/** Bands of the Fear & Greed insight (specification, section 4). */
export const INSIGHT_DOTS = [
  { from: 55, dot: 'bullish', label: 'Bullish' },
  { from: 45, dot: 'neutral', label: 'Neutral' },
  { from: Number.NEGATIVE_INFINITY, dot: 'bearish', label: 'Bearish' },
] as const;
export type InsightDot = (typeof INSIGHT_DOTS)[number]['dot'];

/** Returns the dot beside the Fear & Greed insight, by the value of the index. */
export const fearGreedDot = (value: number) => scoreBand(INSIGHT_DOTS, value);

/** Bands of the two metric cards: red below 35, yellow below 55, otherwise green. Each colour has its own word. */
export const METRIC_BANDS = [
  { from: 55, color: 'green', label: 'High', tone: 'positive' },
  { from: 35, color: 'yellow', label: 'Moderate', tone: 'neutral' },
  { from: Number.NEGATIVE_INFINITY, color: 'red', label: 'Low', tone: 'negative' },
] as const;
/** The band of market exposure or overall strength, 0–100. */
export const metricBand = (value: number) => scoreBand(METRIC_BANDS, value);

/** The highest possible strength of a sector. */
export const SECTOR_TOTAL = 100;

/** Strong at 70 or more, weak below 50, neutral otherwise. */
export const SECTOR_BANDS = [
  { from: 70, status: 'strong', label: 'Strong', tone: 'positive' },
  { from: 50, status: 'neutral', label: 'Neutral', tone: 'neutral' },
  { from: Number.NEGATIVE_INFINITY, status: 'weak', label: 'Weak', tone: 'negative' },
] as const;
/** The band of a sector's percentage, value / total · 100. */
export const sectorBand = (percent: number) => scoreBand(SECTOR_BANDS, percent);

/** An input with a score of 55 or more raises the signal; one below 45 lowers it. */
export const PULLS = [
  { from: 55, pull: 'lifts' },
  { from: 45, pull: 'neither' },
  { from: Number.NEGATIVE_INFINITY, pull: 'holdsBack' },
] as const;
export type Pull = (typeof PULLS)[number]['pull'];

/** The direction in which an input's score of 0–100 moves the signal. */
export const pullOf = (score: number): Pull => scoreBand(PULLS, score).pull;

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
