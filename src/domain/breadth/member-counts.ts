import { breadthRatio } from '../bands/score-bands.ts';
import type { BarMatrix } from '../market-history.ts';

/** The counts of issues of one universe per session; NaN for missing counts. */
export type BreadthCounts = Pick<AdvanceDecline, 'advancing' | 'declining' | 'unchanged'>;

/** A column of counts. A session to which nothing is added stays NaN. */
const columnFor = (bars: BarMatrix): Float64Array => new Float64Array(bars.sessions.length).fill(Number.NaN);

function add(column: Float64Array, session: number, amount: number): void {
  column[session] = (column[session] || 0) + amount;
}

/**
 * Members that rose, fell or stayed per session, and their volumes in shares; NaN if no member could be counted. Leaves out
 * those flagged or without both closes, not those without volume.
 */
export function countAdvances(bars: BarMatrix, leftOut: Uint8Array) {
  const { close, volume } = bars;
  const width = bars.sessions.length;
  const counts = {
    advancing: columnFor(bars),
    declining: columnFor(bars),
    unchanged: columnFor(bars),
    advancingVolume: columnFor(bars),
    decliningVolume: columnFor(bars),
  };
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    for (let session = 1; session < width; session++) {
      const change = (close[row + session] ?? Number.NaN) - (close[row + session - 1] ?? Number.NaN);
      if (Number.isNaN(change) || leftOut[row + session] === 1) continue;
      const shares = volume[row + session] || 0;
      add(counts.advancing, session, change > 0 ? 1 : 0);
      add(counts.declining, session, change < 0 ? 1 : 0);
      add(counts.unchanged, session, change === 0 ? 1 : 0);
      add(counts.advancingVolume, session, change > 0 ? shares : 0);
      add(counts.decliningVolume, session, change < 0 ? shares : 0);
    }
  }
  return counts;
}

export type AdvanceDecline = ReturnType<typeof countAdvances>;

/** The advance/decline ratio of each session; NaN if one of the three counts is missing. */
export function advanceDeclineRatio({ advancing, declining, unchanged }: BreadthCounts): Float64Array {
  return advancing.map((up, at) =>
    Number.isNaN(unchanged[at] ?? Number.NaN) ? Number.NaN : breadthRatio(up, declining[at] ?? Number.NaN),
  );
}

/** Number of shares traded per session, summed over all members; NaN if no member has a volume. */
export function totalVolume(bars: BarMatrix): Float64Array {
  const width = bars.sessions.length;
  const total = columnFor(bars);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    for (let session = 0; session < width; session++) {
      const shares = bars.volume[row + session] ?? Number.NaN;
      if (!Number.isNaN(shares)) add(total, session, shares);
    }
  }
  return total;
}

/** Sessions in 52 weeks. */
const YEAR = 252;

/**
 * Counts per session of new 52-week highs and lows among the `eligible` members; NaN without eligible members. New is a high
 * above, or a low below, all of the 251 previous bars. Eligible are unflagged members with 252.
 */
export function countNewHighsLows(bars: BarMatrix, leftOut: Uint8Array) {
  const width = bars.sessions.length;
  const counts = { highs: columnFor(bars), lows: columnFor(bars), eligible: columnFor(bars) };
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
      add(counts.eligible, session, 1);
      add(counts.highs, session, isHighest(highs, last) ? 1 : 0);
      add(counts.lows, session, isHighest(lows, last) ? 1 : 0);
    }
  }
  return counts;
}

export type NewHighsLows = ReturnType<typeof countNewHighsLows>;

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
