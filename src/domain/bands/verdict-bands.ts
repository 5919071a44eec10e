// This file has no functions, so that the page's first script needs little code to draw the zones.

/** A score of 61.0 or more is BUY, from 41.0 to below 61.0 HOLD, and below 41.0 SELL. */
export const VERDICTS = [
  { from: 61, verdict: 'BUY' },
  { from: 41, verdict: 'HOLD' },
  { from: Number.NEGATIVE_INFINITY, verdict: 'SELL' },
] as const;
