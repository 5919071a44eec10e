import { sma } from '../indicators/moving-average.ts';
import { sessionMean } from '../indicators/session-mean.ts';

export type MovingAverageTrend = 'bullish' | 'bearish' | 'neutral';
export type VolumeTrend = 'increasing' | 'decreasing' | 'neutral';

/** Edges of the volume ratio: volume is increasing above the first, decreasing below the second. */
export const VOLUME_RATIO = { increasing: 1.02, decreasing: 0.98 } as const;

/**
 * Bullish if close > fast average > slow average, bearish if both comparisons fail, otherwise neutral; null if a value
 * is missing.
 */
export function movingAverageTrend(close: number, fast: number, slow: number): MovingAverageTrend | null {
  if (Number.isNaN(close + fast + slow)) return null;
  const holds = Number(close > fast) + Number(fast > slow);
  return holds === 2 ? 'bullish' : holds === 0 ? 'bearish' : 'neutral';
}

/** The trend of a volume ratio; null if the ratio is NaN. */
export function volumeTrend(ratio: number): VolumeTrend | null {
  if (Number.isNaN(ratio)) return null;
  if (ratio > VOLUME_RATIO.increasing) return 'increasing';
  return ratio < VOLUME_RATIO.decreasing ? 'decreasing' : 'neutral';
}

/** Mean volume over `short` sessions divided by the mean over `long`; NaN while the series is too short. */
export function volumeRatio(volume: Float64Array, short: number, long: number): Float64Array {
  const usual = sessionMean(volume, long);
  return sessionMean(volume, short).map((recent, at) => recent / (usual[at] || Number.NaN));
}

/** The moving-average trend of every session, and its slow average. */
export function readTrend(
  close: Float64Array,
  fastSpan: number,
  slowSpan: number,
): { trend: (MovingAverageTrend | null)[]; slow: Float64Array } {
  const fast = sma(close, fastSpan);
  const slow = sma(close, slowSpan);
  const trend = Array.from(close, (value, at) =>
    movingAverageTrend(value, fast[at] ?? Number.NaN, slow[at] ?? Number.NaN),
  );
  return { trend, slow };
}
