// Without functions, so that the page's first script can draw the zones with little code.

/** BUY at 61.0 and above, HOLD from 41.0, SELL below. */
export const VERDICTS = [
  { from: 61, verdict: 'BUY' },
  { from: 41, verdict: 'HOLD' },
  { from: Number.NEGATIVE_INFINITY, verdict: 'SELL' },
] as const;
