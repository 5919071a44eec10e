import { overObservations } from './over-observations.ts';

/** Simple average of the last n observations; NaN before the n-th and for gaps. */
export function sma(values: Float64Array, n: number): Float64Array {
  return overObservations(values, (observed) => {
    const result = new Float64Array(observed.length).fill(Number.NaN);
    // Sums each window separately: a running sum would drift, and equal windows must have equal averages.
    for (let end = n; end <= observed.length; end++) {
      let sum = 0;
      for (let at = end - n; at < end; at++) sum += observed[at] ?? Number.NaN;
      result[end - 1] = sum / n;
    }
    return result;
  });
}

/**
 * Exponential average with alpha 2/(n + 1), starting with the simple average of the first n observations; NaN before
 * the n-th and for gaps.
 */
export function ema(values: Float64Array, n: number): Float64Array {
  return overObservations(values, (observed) => {
    const result = new Float64Array(observed.length).fill(Number.NaN);
    if (observed.length < n) return result;
    const alpha = 2 / (n + 1);
    let average = 0;
    for (let at = 0; at < n; at++) average += (observed[at] ?? Number.NaN) / n;
    result[n - 1] = average;
    for (let at = n; at < observed.length; at++) {
      average += alpha * ((observed[at] ?? Number.NaN) - average);
      result[at] = average;
    }
    return result;
  });
}
