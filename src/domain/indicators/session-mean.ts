/**
 * Mean of the observations in the last n sessions. NaN before the n-th session of the series (counted from its first
 * observation), and if fewer than half of the n sessions have an observation.
 */
export function sessionMean(values: Float64Array, n: number): Float64Array {
  const result = new Float64Array(values.length).fill(Number.NaN);
  const first = values.findIndex((value) => !Number.isNaN(value));
  if (first < 0) return result;
  for (let session = first + n - 1; session < values.length; session++) {
    let sum = 0;
    let count = 0;
    for (let at = session - n + 1; at <= session; at++) {
      const value = values[at] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
    if (count * 2 >= n) result[session] = sum / count;
  }
  return result;
}
