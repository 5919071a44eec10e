import { meanOfPresent, percentileRank, sma } from '../indicators/windows.ts';

export const SLOW_AVERAGE = 200;
export const RANK_SESSIONS = 500;
const LEAST_RANKED = 250;
export const LEAST_PARTS = 3;

/** The four parts of overall strength on one session axis, each 0–100; NaN if missing. */
type StrengthPart = 'aboveSlowAverage' | 'highLowIndex' | 'meanSectorStrength' | 'indexDistanceRank';

/** Mean of the available parts, 0–100; NaN with fewer than three. */
export function overallStrength(parts: Readonly<Record<StrengthPart, Float64Array>>): Float64Array {
  return meanOfPresent(
    [parts.aboveSlowAverage, parts.highLowIndex, parts.meanSectorStrength, parts.indexDistanceRank],
    LEAST_PARTS,
  );
}

/** 500-session percentile rank of the distance from the 200-session average; NaN with fewer than 250. */
export function indexDistanceRank(indexClose: Float64Array): Float64Array {
  const average = sma(indexClose, SLOW_AVERAGE);
  const distance = indexClose.map((close, at) => close / (average[at] ?? Number.NaN));
  return percentileRank(distance, RANK_SESSIONS, LEAST_RANKED);
}
