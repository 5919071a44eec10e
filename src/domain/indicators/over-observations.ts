/**
 * Applies `compute` to the observations of a series; sessions without an observation (NaN) stay NaN. All running
 * windows use this rule for gaps: a window counts observations, not sessions. `compute` gets a series without NaN and
 * returns a series of the same length.
 */
export function overObservations(
  values: Float64Array,
  compute: (observed: Float64Array) => Float64Array,
): Float64Array {
  const observed = values.filter((value) => !Number.isNaN(value));
  const computed = compute(observed);
  if (observed.length === values.length) return computed;
  const result = new Float64Array(values.length).fill(Number.NaN);
  let next = 0;
  for (let session = 0; session < values.length; session++) {
    if (Number.isNaN(values[session] ?? Number.NaN)) continue;
    result[session] = computed[next] ?? Number.NaN;
    next++;
  }
  return result;
}
