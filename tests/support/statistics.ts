export type Values = readonly number[];

export const mean = (values: Values): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Percentage of the values for which the test is true. */
export const shareOf = (values: Values, test: (value: number) => boolean): number =>
  100 * mean(values.map((value) => Number(test(value))));

/** Population standard deviation. */
export function deviation(values: Values): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

/** A quantile by linear interpolation; NaN without values. */
export function quantile(values: Values, share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const at = Math.floor(position);
  const low = sorted[at] ?? Number.NaN;
  return low + ((sorted[at + 1] ?? low) - low) * (position - at);
}

export const median = (values: Values): number => quantile(values, 0.5);

/** Excess kurtosis: 0 for a normal distribution, higher with more extreme values. */
export function excessKurtosis(values: Values): number {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 4)) / deviation(values) ** 4 - 3;
}

/** Pearson's correlation over the positions at which both have a value; NaN with fewer than `least` of them. */
export function correlation(a: Values, b: Values, least = 2): number {
  const places = a.flatMap((value, at) => (Number.isNaN(value + (b[at] ?? Number.NaN)) ? [] : [at]));
  if (places.length < least) return Number.NaN;
  const [x, y] = [places.map((at) => a[at] ?? Number.NaN), places.map((at) => b[at] ?? Number.NaN)];
  const [meanX, meanY] = [mean(x), mean(y)];
  const product = mean(x.map((value, at) => (value - meanX) * ((y[at] ?? Number.NaN) - meanY)));
  return product / (deviation(x) * deviation(y));
}

/** Differences between consecutive values; the first is NaN. */
export const changes = (values: Values): number[] =>
  values.map((value, at) => value - (values[at - 1] ?? Number.NaN));

/** Mean autocorrelation over the first ten lags. */
export const persistence = (values: Values): number =>
  mean([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((lag) => correlation(values.slice(lag), values.slice(0, -lag))));

/** The largest fall from an earlier peak, in percent of the peak. */
export function worstDrawdown(closes: Values): number {
  let peak = 0;
  let worst = 0;
  for (const close of closes) {
    peak = Math.max(peak, close);
    worst = Math.max(worst, 100 * (1 - close / peak));
  }
  return worst;
}
