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

/** Sessions in 52 weeks. */
const YEAR = 252;

/** Counts per session of new 52-week highs and lows among the `eligible` members; NaN without eligible members. */
export interface NewHighsLows {
  readonly highs: Float64Array;
  readonly lows: Float64Array;
  readonly eligible: Float64Array;
}

/** New is a high above, or a low below, all of the 251 previous bars. Eligible are unflagged members with 252. */
export function countNewHighsLows(bars: BarMatrix, leftOut: Uint8Array): NewHighsLows {
  const width = bars.sessions.length;
  const counts = {
    highs: new Float64Array(width),
    lows: new Float64Array(width),
    eligible: new Float64Array(width),
  };
  const highs = new Float64Array(width);
  const lows = new Float64Array(width);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    let last = -1;
    for (let session = 0; session < width; session++) {
      const high = bars.high[row + session] ?? Number.NaN;
      const low = bars.low[row + session] ?? Number.NaN;
      if (Number.isNaN(high) || Number.isNaN(low)) continue;
      last++;
      highs[last] = high;
      lows[last] = -low;
      if (last < YEAR - 1 || leftOut[row + session] === 1) continue;
      counts.eligible[session] = (counts.eligible[session] ?? 0) + 1;
      if (isHighest(highs, last)) counts.highs[session] = (counts.highs[session] ?? 0) + 1;
      if (isHighest(lows, last)) counts.lows[session] = (counts.lows[session] ?? 0) + 1;
    }
  }
  for (let session = 0; session < width; session++) {
    if ((counts.eligible[session] ?? 0) > 0) continue;
    counts.eligible[session] = Number.NaN;
    counts.highs[session] = Number.NaN;
    counts.lows[session] = Number.NaN;
  }
  return counts;
}

/** True if the value at `last` is above the 251 values before it. */
function isHighest(values: Float64Array, last: number): boolean {
  for (let at = last - 1; at > last - YEAR; at--) {
    if ((values[at] ?? 0) >= (values[last] ?? Number.NaN)) return false;
  }
  return true;
}

/** Largest plausible one-day move (fraction). A larger unadjusted move is more likely a split than a price change. */
export const LARGEST_PLAUSIBLE_MOVE = 0.4;

/** Moves from close to close beyond ±40 %, as fractions. `leftOut` is 1 at `n * S + s` if member n is left out in s. */
export function flagMoves(bars: BarMatrix) {
  const { close, sessions } = bars;
  const leftOut = new Uint8Array(close.length);
  const flags: { symbol: string; session: string; move: number }[] = [];
  bars.members.forEach(({ symbol }, member) => {
    const row = member * sessions.length;
    let previous = Number.NaN;
    sessions.forEach((session, column) => {
      const today = close[row + column] ?? Number.NaN;
      const move = today / previous - 1;
      if (Math.abs(move) > LARGEST_PLAUSIBLE_MOVE) {
        leftOut[row + column] = 1;
        flags.push({ symbol, session, move });
      }
      previous = today;
    });
  });
  return { flags, leftOut };
}
