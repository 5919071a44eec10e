import { breadthRatio } from '../bands/score-bands.ts';
import type { VolumeBreadth } from '../indicators/trin.ts';
import type { BarMatrix } from '../market-history.ts';

/** Counts per session; NaN if no member could be counted. Volumes in shares. */
export interface AdvanceDecline extends VolumeBreadth {
  readonly unchanged: Float64Array;
}

/** The counts of issues of one universe per session; NaN for missing counts. */
export type BreadthCounts = Pick<AdvanceDecline, 'advancing' | 'declining' | 'unchanged'>;

/** Members that rose, fell or stayed. Leaves out those flagged or without both closes, not those without volume. */
export function countAdvances(bars: BarMatrix, leftOut: Uint8Array): AdvanceDecline {
  const { close, volume } = bars;
  const width = bars.sessions.length;
  const advancing = new Float64Array(width);
  const declining = new Float64Array(width);
  const unchanged = new Float64Array(width);
  const advancingVolume = new Float64Array(width);
  const decliningVolume = new Float64Array(width);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    for (let session = 1; session < width; session++) {
      const change = (close[row + session] ?? Number.NaN) - (close[row + session - 1] ?? Number.NaN);
      if (Number.isNaN(change) || leftOut[row + session] === 1) continue;
      const shares = volume[row + session] || 0;
      if (change > 0) {
        advancing[session] = (advancing[session] ?? 0) + 1;
        advancingVolume[session] = (advancingVolume[session] ?? 0) + shares;
      } else if (change < 0) {
        declining[session] = (declining[session] ?? 0) + 1;
        decliningVolume[session] = (decliningVolume[session] ?? 0) + shares;
      } else {
        unchanged[session] = (unchanged[session] ?? 0) + 1;
      }
    }
  }
  for (let session = 0; session < width; session++) {
    if ((advancing[session] ?? 0) + (declining[session] ?? 0) + (unchanged[session] ?? 0) > 0) continue;
    for (const column of [advancing, declining, unchanged, advancingVolume, decliningVolume]) {
      column[session] = Number.NaN;
    }
  }
  return { advancing, declining, unchanged, advancingVolume, decliningVolume };
}

/** The advance/decline ratio of each session; NaN if one of the three counts is missing. */
export function advanceDeclineRatio({ advancing, declining, unchanged }: BreadthCounts): Float64Array {
  return advancing.map((up, at) =>
    Number.isNaN(unchanged[at] ?? Number.NaN) ? Number.NaN : breadthRatio(up, declining[at] ?? Number.NaN),
  );
}

/** Number of shares traded per session, summed over all members; NaN if no member has a volume. */
export function totalVolume(bars: BarMatrix): Float64Array {
  const width = bars.sessions.length;
  const total = new Float64Array(width).fill(Number.NaN);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    for (let session = 0; session < width; session++) {
      const shares = bars.volume[row + session] ?? Number.NaN;
      if (!Number.isNaN(shares)) total[session] = (total[session] || 0) + shares;
    }
  }
  return total;
}
