// This file has no functions, so that the page's first script needs little code to draw the zones.

/** A score of 61.0 or more is BUY, from 41.0 to below 61.0 HOLD, and below 41.0 SELL. */
export const VERDICTS = [
  { from: 61, verdict: 'BUY' },
  { from: 41, verdict: 'HOLD' },
  { from: Number.NEGATIVE_INFINITY, verdict: 'SELL' },
] as const;

/** The bands of the Fear & Greed index (specification, section 9). Their edges are 25, 45, 55 and 75. */
export const FEAR_GREED_BANDS = [
  { from: 75, zone: 'extreme-greed', label: 'Extreme Greed' },
  { from: 55, zone: 'greed', label: 'Greed' },
  { from: 45, zone: 'neutral', label: 'Neutral' },
  { from: 25, zone: 'fear', label: 'Fear' },
  { from: Number.NEGATIVE_INFINITY, zone: 'extreme-fear', label: 'Extreme Fear' },
] as const;
