import { asDisplayed } from './precision.ts';
import { FEAR_GREED_BANDS, VERDICTS } from './zone-bands.ts';

/** The meaning of a status for the market, which sets its colour. The status is always written as a word too. */
export type Tone = 'positive' | 'neutral' | 'negative';

const NEVER_EMPTY = 'The last band of a table must begin at minus infinity.';

/** The band that contains a displayed value. Tables list bands from the highest down; each starts at `from` (inclusive). */
export function bandFrom<Band extends { readonly from: number }>(bands: readonly Band[], displayed: number) {
  const band = bands.find(({ from }) => displayed >= from);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

/** The same for bands of the values above `above`: a value equal to an edge belongs to the band below that edge. */
export function bandAbove<Band extends { readonly above: number }>(
  bands: readonly Band[],
  displayed: number,
) {
  const band = bands.find(({ above }) => displayed > above);
  if (band === undefined) throw new RangeError(NEVER_EMPTY);
  return band;
}

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

/** Level and colour of a sentiment score have the same edges: 70, 55, 45, 30. */
export const SENTIMENT_BANDS = [
  { from: 70, step: 'very-bullish', level: 'Very Bullish' },
  { from: 55, step: 'bullish', level: 'Bullish' },
  { from: 45, step: 'neutral', level: 'Neutral' },
  { from: 30, step: 'bearish', level: 'Bearish' },
  { from: Number.NEGATIVE_INFINITY, step: 'very-bearish', level: 'Very Bearish' },
] as const;
/** The band of a sentiment score of 0–100. */
export const sentimentBand = (score: number) => scoreBand(SENTIMENT_BANDS, score);

/** An RSI above 60 is positive, one below 40 negative, any other neutral. */
export const RSI_EDGES = { positiveAbove: 60, negativeBelow: 40 } as const;

/** The status of an RSI of 0–100. */
export function rsiStatus(value: number): Tone {
  const rsi = asDisplayed('rsi', value);
  if (rsi > RSI_EDGES.positiveAbove) return 'positive';
  return rsi < RSI_EDGES.negativeBelow ? 'negative' : 'neutral';
}

/** The status of a MACD: above 0 positive, else negative. */
export function macdStatus(value: number): Tone {
  return asDisplayed('macd', value) > 0 ? 'positive' : 'negative';
}

/** The status of a moving-average trend; neutral for an unknown trend. */
export function movingAverageStatus(trend: string): Tone {
  if (trend === 'bullish') return 'positive';
  return trend === 'bearish' ? 'negative' : 'neutral';
}

/** The status of a volume trend; neutral for an unknown trend. */
export function volumeStatus(trend: string): Tone {
  if (trend === 'increasing') return 'positive';
  return trend === 'decreasing' ? 'negative' : 'neutral';
}
