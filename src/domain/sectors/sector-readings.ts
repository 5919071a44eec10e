import { meanOfPresent, overObservations } from '../indicators/windows.ts';
import type { BarMatrix } from '../market-history.ts';

export const FAST_AVERAGE = 50;
export const SLOW_AVERAGE = 200;
export const RETURN_SESSIONS = 63;

/** Relative tolerance for rounding errors of sums: a close is above its average only if it exceeds it by more. */
const ROUNDING = 1e-9;

/** Returns for each session a number that is positive if the close counts; NaN if the member is not eligible. */
type ExcessOf = (closes: Float64Array) => Float64Array;

/**
 * Number of counted and of eligible members of each group in each session. A member counts with a positive excess. One
 * without an excess and a flagged one are not eligible.
 */
export function countMembers(
  bars: BarMatrix,
  leftOut: Uint8Array,
  groups: readonly string[],
  excessOf: ExcessOf,
) {
  const width = bars.sessions.length;
  const counts = groups.map(() => ({
    counted: new Float64Array(width),
    eligible: new Float64Array(width),
  }));
  const countsOf = new Map(groups.map((group, at) => [group, counts[at]]));
  bars.members.forEach(({ sector }, member) => {
    const own = countsOf.get(sector);
    if (own === undefined) return;
    const row = member * width;
    excessOf(bars.close.subarray(row, row + width)).forEach((excess, session) => {
      if (Number.isNaN(excess) || leftOut[row + session] === 1) return;
      own.eligible[session] = (own.eligible[session] ?? 0) + 1;
      if (excess > 0) own.counted[session] = (own.counted[session] ?? 0) + 1;
    });
  });
  return counts;
}
type GroupCounts = ReturnType<typeof countMembers>[number];

/** Counts closes above the average of the last n closes, the current one included. */
export const aboveAverage =
  (n: number): ExcessOf =>
  (closes) =>
    overObservations(closes, (observed) => {
      let sum = 0;
      return observed.map((close, at) => {
        sum += close;
        sum -= observed[at - n] ?? 0;
        return at + 1 < n ? Number.NaN : close * n - sum * (1 + ROUNDING);
      });
    });

/** The growth of closes over `RETURN_SESSIONS`; NaN without a close at both ends. */
const growthOf = (closes: Float64Array) =>
  closes.map((close, at) => close / (closes[at - RETURN_SESSIONS] ?? Number.NaN));

/** Counted members in percent of the eligible members of some groups, per session; NaN without eligible members. */
export function shareOf(groups: readonly GroupCounts[], sessions: number): Float64Array {
  const total = (name: keyof GroupCounts, at: number) =>
    groups.reduce((sum, counts) => sum + (counts[name][at] ?? 0), 0);
  return Float64Array.from(
    { length: sessions },
    (_, at) => (100 * total('counted', at)) / total('eligible', at),
  );
}

/**
 * Strength of each sector per session (0–100): the mean of the shares of its members above their 50-session average, above
 * their 200-session average, and ahead of the index over 63 sessions; NaN if one of the three shares is missing. Also the
 * shares of the whole universe from the same counts (percent). `indexClose` covers the bars' sessions. Sectors in `alsoNamed` are
 * included even without members that have bars, with NaN as strength.
 */
export function computeSectors(
  bars: BarMatrix,
  leftOut: Uint8Array,
  indexClose: Float64Array,
  alsoNamed: readonly string[] = [],
) {
  const names = [...new Set([...bars.members.map((member) => member.sector), ...alsoNamed])].sort();
  const width = bars.sessions.length;
  const indexGrowth = growthOf(indexClose);
  const count = (excessOf: ExcessOf) => countMembers(bars, leftOut, names, excessOf);
  const fast = count(aboveAverage(FAST_AVERAGE));
  const slow = count(aboveAverage(SLOW_AVERAGE));
  const ahead = count((closes) =>
    growthOf(closes).map((growth, at) => growth - (indexGrowth[at] ?? Number.NaN)),
  );
  const sectors = names.map((sector, at) => ({
    sector,
    strength: meanOfPresent(
      [fast, slow, ahead].map((groups) => shareOf(groups.slice(at, at + 1), width)),
      3,
    ),
  }));
  return {
    sectors,
    meanStrength: meanOfPresent(
      sectors.map(({ strength }) => strength),
      1,
    ),
    aboveFast: shareOf(fast, width),
    aboveSlow: shareOf(slow, width),
  };
}
