import { overObservations } from './over-observations.ts';

/**
 * Percentage of the last `window` observations (including the current one) that are strictly below the current one. NaN
 * with fewer than `least` observations.
 */
export function percentileRank(values: Float64Array, window: number, least: number): Float64Array {
  return overObservations(values, (observed) =>
    observed.map((today, at) => {
      const first = Math.max(0, at + 1 - window);
      const count = at + 1 - first;
      return count < least ? Number.NaN : (100 * countBelow(observed, first, at, today)) / count;
    }),
  );
}

function countBelow(values: Float64Array, from: number, to: number, limit: number): number {
  let below = 0;
  for (let at = from; at < to; at++) if ((values[at] ?? limit) < limit) below++;
  return below;
}
