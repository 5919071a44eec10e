import { overObservations } from './over-observations.ts';

/**
 * Distance from the mean of the last n observations (including today's) in their population standard deviations; NaN
 * before the n-th and for constant values.
 */
export function zScore(values: Float64Array, n: number): Float64Array {
  return overObservations(values, (observed) => {
    const result = new Float64Array(observed.length).fill(Number.NaN);
    // Two passes per window, because running sums of squares lose the digits that ranks depend on.
    for (let end = n; end <= observed.length; end++) {
      let sum = 0;
      for (let at = end - n; at < end; at++) sum += observed[at] ?? Number.NaN;
      const mean = sum / n;
      let squares = 0;
      for (let at = end - n; at < end; at++) {
        const distance = (observed[at] ?? Number.NaN) - mean;
        squares += distance * distance;
      }
      const deviation = Math.sqrt(squares / n);
      if (deviation > Math.abs(mean) * FLAT)
        result[end - 1] = ((observed[end - 1] ?? Number.NaN) - mean) / deviation;
    }
    return result;
  });
}

/** A deviation this small relative to the mean is rounding, not a change. */
const FLAT = 1e-12;
