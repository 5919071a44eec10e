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

/** Counted members in percent of the group's eligible members, per session; NaN without eligible members. */
export function shareOfGroup(counts: GroupCounts, group: number, sessions: number): Float64Array {
  const first = group * sessions;
  return counts.counted
    .slice(first, first + sessions)
    .map((counted, at) => (100 * counted) / (counts.eligible[first + at] ?? Number.NaN));
}

/** Counted members in percent of the eligible members of all groups, per session; NaN without eligible members. */
export function shareOfAll(counts: GroupCounts, sessions: number): Float64Array {
  const share = new Float64Array(sessions);
  for (let session = 0; session < sessions; session++) {
    let counted = 0;
    let eligible = 0;
    for (let at = session; at < counts.eligible.length; at += sessions) {
      counted += counts.counted[at] ?? 0;
      eligible += counts.eligible[at] ?? 0;
    }
    share[session] = (100 * counted) / eligible;
  }
  return share;
}
