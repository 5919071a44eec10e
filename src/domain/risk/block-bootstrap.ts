import { quantile } from '../indicators/windows.ts';

const RESAMPLES = 2_000;

/** A 90 % interval of a statistic. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The 90 % interval of a statistic of `count` consecutive weeks whose windows overlap: blocks of `length` weeks are drawn with
 * replacement, around the end (circular block bootstrap, Politis and Romano 1992). `statistic` gets the drawn indices.
 * `random` returns a number from 0 to 1, without 1. Both ends are NaN without weeks.
 */
export function blockBootstrap(
  { count, length }: { readonly count: number; readonly length: number },
  statistic: (indices: readonly number[]) => number,
  random: () => number,
): Interval {
  if (count === 0) return { low: Number.NaN, high: Number.NaN };
  const values = Float64Array.from({ length: RESAMPLES }, () => {
    const indices: number[] = [];
    while (indices.length < count) {
      const start = Math.floor(random() * count);
      for (let step = 0; step < length && indices.length < count; step += 1) {
        indices.push((start + step) % count);
      }
    }
    return statistic(indices);
  }).sort();
  return { low: quantile(values, 0.05), high: quantile(values, 0.95) };
}
