import type { BarMatrix } from '../market-history.ts';

/** Relative tolerance for rounding errors of sums: a close is above its average only if it exceeds it by more. */
const ROUNDING = 1e-9;

/** Number of counted and of eligible members of each group in each session, at `group * S + s` (S sessions). */
export interface GroupCounts {
  readonly counted: Float64Array;
  readonly eligible: Float64Array;
}

/**
 * Counts members whose close is above the average of their last n closes (including the current one), by group. A
 * member is eligible in a session if it has n closes, one of them in this session, and the session is not flagged for
 * it (`leftOut`). `groupOf` has the group of each member.
 */
export function countAboveAverage(
  bars: BarMatrix,
  leftOut: Uint8Array,
  n: number,
  groupOf: Int32Array,
  groups: number,
): GroupCounts {
  const width = bars.sessions.length;
  const counted = new Float64Array(groups * width);
  const eligible = new Float64Array(groups * width);
  const closes = new Float64Array(width);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    const group = (groupOf[member] ?? 0) * width;
    let sum = 0;
    let count = 0;
    for (let session = 0; session < width; session++) {
      const close = bars.close[row + session] ?? Number.NaN;
      if (Number.isNaN(close)) continue;
      closes[count] = close;
      sum += close;
      if (count >= n) sum -= closes[count - n] ?? 0;
      count++;
      if (count < n || leftOut[row + session] === 1) continue;
      eligible[group + session] = (eligible[group + session] ?? 0) + 1;
      if (close * n > sum * (1 + ROUNDING)) counted[group + session] = (counted[group + session] ?? 0) + 1;
    }
  }
  return { counted, eligible };
}
