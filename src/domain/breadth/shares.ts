import type { GroupCounts } from './above-average.ts';

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
