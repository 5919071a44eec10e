import { overObservations } from '../indicators/windows.ts';
import type { BarMatrix } from '../market-history.ts';

/** Relative tolerance for rounding errors of sums: a close is above its average only if it exceeds it by more. */
const ROUNDING = 1e-9;

/** Number of counted and of eligible members of each group in each session, at `group * S + s` (S sessions). */
export interface GroupCounts {
  readonly counted: Float64Array;
  readonly eligible: Float64Array;
}

/** Members with a positive excess, by `groupOf`. Those without an excess and those flagged are not eligible. */
function countMembers(
  bars: BarMatrix,
  leftOut: Uint8Array,
  groupOf: Int32Array,
  groups: number,
  excessOf: (closes: Float64Array) => Float64Array,
): GroupCounts {
  const width = bars.sessions.length;
  const counted = new Float64Array(groups * width);
  const eligible = new Float64Array(groups * width);
  bars.members.forEach((_, member) => {
    const row = member * width;
    const group = (groupOf[member] ?? 0) * width;
    excessOf(bars.close.subarray(row, row + width)).forEach((excess, session) => {
      if (Number.isNaN(excess) || leftOut[row + session] === 1) return;
      eligible[group + session] = (eligible[group + session] ?? 0) + 1;
      if (excess > 0) counted[group + session] = (counted[group + session] ?? 0) + 1;
    });
  });
  return { counted, eligible };
}

/** Counts members whose close is above the average of their last n closes (including the current one). */
export function countAboveAverage(
  bars: BarMatrix,
  leftOut: Uint8Array,
  n: number,
  groupOf: Int32Array,
  groups: number,
): GroupCounts {
  return countMembers(bars, leftOut, groupOf, groups, (closes) =>
    overObservations(closes, (observed) => {
      let sum = 0;
      return observed.map((close, at) => {
        sum += close;
        sum -= observed[at - n] ?? 0;
        return at + 1 < n ? Number.NaN : close * n - sum * (1 + ROUNDING);
      });
    }),
  );
}

/** Counts members whose close gained more than the index over `span` sessions. Both need a close at both ends. */
export function countOutperformers(
  bars: BarMatrix,
  leftOut: Uint8Array,
  indexClose: Float64Array,
  span: number,
  groupOf: Int32Array,
  groups: number,
): GroupCounts {
  const growthOf = (closes: Float64Array) =>
    closes.map((close, at) => close / (closes[at - span] ?? Number.NaN));
  const indexGrowth = growthOf(indexClose);
  return countMembers(bars, leftOut, groupOf, groups, (closes) =>
    growthOf(closes).map((growth, at) => growth - (indexGrowth[at] ?? Number.NaN)),
  );
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
