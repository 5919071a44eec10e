import type { Tone } from './band.ts';
import { asDisplayed } from './precision.ts';
import { scoreBand } from './score-bands.ts';

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
