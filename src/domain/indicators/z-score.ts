import { overObservations } from './over-observations.ts';

/**
 * Distance of an observation from the mean of the last n observations (including itself), in population standard
 * deviations of these n. NaN before the n-th observation and for constant values.
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

/** A standard deviation below this fraction of the mean is a rounding error, not a change. */
const FLAT = 1e-12;
