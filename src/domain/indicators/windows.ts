/** Applies `compute` without the gaps (NaN), which stay NaN: every window counts observations, not sessions. */
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

/** Applies `compute` to each window of n observations and its mean; NaN before the n-th observation and for gaps. */
function overWindows(
  values: Float64Array,
  n: number,
  compute: (mean: number, observed: Float64Array, last: number) => number,
): Float64Array {
  return overObservations(values, (observed) =>
    observed.map((_, last) => {
      if (last + 1 < n) return Number.NaN;
      // Sums each window separately: a running sum would drift, and equal windows must have equal averages.
      let sum = 0;
      for (let at = last + 1 - n; at <= last; at++) sum += observed[at] ?? Number.NaN;
      return compute(sum / n, observed, last);
    }),
  );
}

/** Simple average of the last n observations; NaN before the n-th and for gaps. */
export function sma(values: Float64Array, n: number): Float64Array {
  return overWindows(values, n, (mean) => mean);
}

/** Exponential average, alpha 2/(n + 1), from the mean of the first n observations. NaN before, and for gaps. */
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

/** Distance from the mean of the last n observations, in their population deviations; NaN before, and for constants. */
export function zScore(values: Float64Array, n: number): Float64Array {
  return overWindows(values, n, (mean, observed, last) => {
    // Two passes per window, because running sums of squares lose the digits that ranks depend on.
    let squares = 0;
    for (let at = last + 1 - n; at <= last; at++) {
      const distance = (observed[at] ?? Number.NaN) - mean;
      squares += distance * distance;
    }
    const deviation = Math.sqrt(squares / n);
    const distance = (observed[last] ?? Number.NaN) - mean;
    return deviation > Math.abs(mean) * FLAT ? distance / deviation : Number.NaN;
  });
}

/** A standard deviation below this fraction of the mean is a rounding error, not a change. */
const FLAT = 1e-12;

/** Percentage of the last `window` observations strictly below the current one. NaN with fewer than `least`. */
export function percentileRank(values: Float64Array, window: number, least: number): Float64Array {
  return overObservations(values, (observed) =>
    observed.map((today, at) => {
      const first = Math.max(0, at + 1 - window);
      const count = at + 1 - first;
      if (count < least) return Number.NaN;
      let below = 0;
      for (let before = first; before < at; before++) if ((observed[before] ?? today) < today) below++;
      return (100 * below) / count;
    }),
  );
}

/** Mean over the last n sessions. NaN before the n-th, and if fewer than half of them have an observation. */
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

/** Mean per session of the series that have a value; NaN if fewer than `least` series have one. */
export function meanOfPresent(series: readonly Float64Array[], least: number): Float64Array {
  const length = series[0]?.length ?? 0;
  const result = new Float64Array(length).fill(Number.NaN);
  for (let at = 0; at < length; at++) {
    let sum = 0;
    let present = 0;
    for (const values of series) {
      const value = values[at] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      present++;
    }
    if (present >= least) result[at] = sum / present;
  }
  return result;
}

/** Sessions for which yields and spreads keep their last value: they come late, and not on bank holidays. */
const CARRIED_SESSIONS = 5;

/** Fills each gap with the last observation for at most `CARRIED_SESSIONS` sessions; NaN after that. */
export function carryForward(values: Float64Array): Float64Array {
  const carried = values.slice();
  let last = Number.NaN;
  let age = 0;
  for (let session = 0; session < values.length; session++) {
    const value = values[session] ?? Number.NaN;
    if (!Number.isNaN(value)) {
      last = value;
      age = 0;
    } else if (++age <= CARRIED_SESSIONS) {
      carried[session] = last;
    }
  }
  return carried;
}
