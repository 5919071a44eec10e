import { countAboveAverage, countOutperformers, shareOfAll, shareOfGroup } from '../breadth/group-counts.ts';
import { meanOfPresent } from '../indicators/windows.ts';
import type { BarMatrix } from '../market-history.ts';

export const FAST_AVERAGE = 50;
export const SLOW_AVERAGE = 200;
export const RETURN_SESSIONS = 63;

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
  const groupOf = Int32Array.from(bars.members, (member) => names.indexOf(member.sector));
  const width = bars.sessions.length;
  const fast = countAboveAverage(bars, leftOut, FAST_AVERAGE, groupOf, names.length);
  const slow = countAboveAverage(bars, leftOut, SLOW_AVERAGE, groupOf, names.length);
  const ahead = countOutperformers(bars, leftOut, indexClose, RETURN_SESSIONS, groupOf, names.length);
  const sectors = names.map((sector, group) => ({
    sector,
    strength: meanOfPresent(
      [fast, slow, ahead].map((counts) => shareOfGroup(counts, group, width)),
      3,
    ),
  }));
  return {
    sectors,
    meanStrength: meanOfPresent(
      sectors.map(({ strength }) => strength),
      1,
    ),
    aboveFast: shareOfAll(fast, width),
    aboveSlow: shareOfAll(slow, width),
  };
}
