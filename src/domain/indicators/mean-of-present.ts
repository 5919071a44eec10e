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
