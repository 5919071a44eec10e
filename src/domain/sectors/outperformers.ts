import type { GroupCounts } from '../breadth/above-average.ts';
import type { BarMatrix } from '../market-history.ts';

/**
 * Counts, by group, the members whose close gained more than the index over `span` sessions. A member is eligible if it
 * has a close at both ends of the span and the session is not flagged for it. If the index lacks one of its two closes,
 * no member is eligible.
 */
export function countOutperformers(
  bars: BarMatrix,
  leftOut: Uint8Array,
  indexClose: Float64Array,
  span: number,
  groupOf: Int32Array,
  groups: number,
): GroupCounts {
  const width = bars.sessions.length;
  const counted = new Float64Array(groups * width);
  const eligible = new Float64Array(groups * width);
  const indexGrowth = indexClose.map((close, at) => close / (indexClose[at - span] ?? Number.NaN));
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    const group = (groupOf[member] ?? 0) * width;
    for (let session = span; session < width; session++) {
      const growth =
        (bars.close[row + session] ?? Number.NaN) / (bars.close[row + session - span] ?? Number.NaN);
      const excess = growth - (indexGrowth[session] ?? Number.NaN);
      if (Number.isNaN(excess) || leftOut[row + session] === 1) continue;
      eligible[group + session] = (eligible[group + session] ?? 0) + 1;
      if (excess > 0) counted[group + session] = (counted[group + session] ?? 0) + 1;
    }
  }
  return { counted, eligible };
}
