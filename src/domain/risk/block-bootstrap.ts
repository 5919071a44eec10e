import { createBits, quantile } from '../statistics.ts';

const RESAMPLES = 2_000;
/** Weeks per block: windows of four weeks overlap, and rough spells last for months. */
export const BLOCK = 13;

/** A 90 % interval of a statistic. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The 90 % interval of a statistic of weeks with overlapping windows, by blocks of 13 weeks around the end (circular
 * block bootstrap, Politis and Romano 1992) with a fixed seed. NaN without weeks.
 */
export function blockBootstrap(
  count: number,
  statistic: (indices: readonly number[]) => number,
  nextBits = createBits(),
): Interval {
  if (count === 0) return { low: Number.NaN, high: Number.NaN };
  const values = Float64Array.from({ length: RESAMPLES }, () => {
    const indices: number[] = [];
    while (indices.length < count) {
      const start = Math.floor(((nextBits() >>> 0) / 2 ** 32) * count);
      for (let step = 0; step < BLOCK && indices.length < count; step += 1) {
        indices.push((start + step) % count);
      }
    }
    return statistic(indices);
  }).sort();
  return { low: quantile(values, 0.05), high: quantile(values, 0.95) };
}
