import { sessionMean } from './windows.ts';

export const SMOOTHING_SESSIONS = 10;

/**
 * 10-session mean of 100·H/(H + L), with the numbers H of new 52-week highs and L of new lows. NaN with fewer than five observations in the ten sessions. Also
 * NaN in a session without counts, because a mean of earlier sessions is not its reading.
 */
export function highLowIndex(highs: Float64Array, lows: Float64Array): Float64Array {
  const percent = highs.map((high, at) => (100 * high) / (high + (lows[at] ?? Number.NaN)));
  return sessionMean(percent, SMOOTHING_SESSIONS).map((mean, at) =>
    Number.isNaN((highs[at] ?? Number.NaN) + (lows[at] ?? Number.NaN)) ? Number.NaN : mean,
  );
}
