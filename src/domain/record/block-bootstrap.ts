/** The interval of a difference of means, percent. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Consecutive weeks, each with a value and the number (from 0) of the group that it belongs to. */
export interface GroupedWeeks {
  readonly groups: Uint8Array;
  readonly values: Float64Array;
  readonly groupCount: number;
}

interface BootstrapOptions {
  readonly blockWeeks: number;
  readonly resamples: number;
  /** Share of the resampled differences inside the interval, 0–1. */
  readonly coverage: number;
  /** Returns numbers from 0 up to but not including 1. */
  readonly random: () => number;
}

/**
 * Returns for each group the interval of the difference between its mean and the mean of all weeks; null for a group
 * that no resample contains. Uses the circular block bootstrap (Politis and Romano 1992): a resample consists of blocks
 * of consecutive weeks, which wrap around the end, cut to the number of weeks. Blocks keep neighbouring weeks together,
 * because overlapping windows are not independent.
 */
export function bootstrapDifferences(
  weeks: GroupedWeeks,
  { blockWeeks, resamples, coverage, random }: BootstrapOptions,
): (Interval | null)[] {
  const count = weeks.values.length;
  const length = Math.min(blockWeeks, count);
  if (count === 0) return Array.from({ length: weeks.groupCount }, () => null);
  const blocks = Math.ceil(count / length);
  const whole = blockTotals(weeks, length);
  const cut = blockTotals(weeks, count - (blocks - 1) * length);
  const width = 2 * weeks.groupCount;
  const totals = new Float64Array(width);
  const differences = Array.from({ length: weeks.groupCount }, () => new Float64Array(resamples));
  const drawn = new Uint32Array(weeks.groupCount);

  for (let resample = 0; resample < resamples; resample += 1) {
    totals.fill(0);
    for (let block = 1; block <= blocks; block += 1) {
      const from = block === blocks ? cut : whole;
      const start = Math.floor(random() * count) * width;
      // The casts avoid checks for undefined in this loop, which takes most of the time.
      for (let at = 0; at < width; at += 1)
        totals[at] = (totals[at] as number) + (from[start + at] as number);
    }
    let sum = 0;
    for (let at = 0; at < width; at += 2) sum += totals[at] ?? 0;
    for (let group = 0; group < weeks.groupCount; group += 1) {
      const size = totals[2 * group + 1] ?? 0;
      if (size === 0) continue;
      const place = drawn[group] ?? 0;
      const own = differences[group];
      if (own !== undefined) own[place] = (totals[2 * group] ?? 0) / size - sum / count;
      drawn[group] = place + 1;
    }
  }
  return differences.map((all, group) => {
    const sorted = all.subarray(0, drawn[group]).sort();
    if (sorted.length === 0) return null;
    const tail = (1 - coverage) / 2;
    return { low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) };
  });
}

/** For a block from each possible first week: the sum of the values and the number of weeks of each group. */
function blockTotals({ groups, values, groupCount }: GroupedWeeks, length: number): Float64Array {
  const count = values.length;
  const width = 2 * groupCount;
  const totals = new Float64Array(count * width);
  for (let start = 0; start < count; start += 1) {
    for (let step = 0; step < length; step += 1) {
      const week = (start + step) % count;
      const at = start * width + 2 * (groups[week] ?? 0);
      totals[at] = (totals[at] ?? 0) + (values[week] ?? 0);
      totals[at + 1] = (totals[at + 1] ?? 0) + 1;
    }
  }
  return totals;
}

/** The quantile of sorted values, with linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}
