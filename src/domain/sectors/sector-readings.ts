import { countAboveAverage, countOutperformers, shareOfAll, shareOfGroup } from '../breadth/group-counts.ts';
import { meanOfPresent } from '../indicators/windows.ts';
import type { BarMatrix } from '../market-history.ts';

export const FAST_AVERAGE = 50;
export const SLOW_AVERAGE = 200;
export const RETURN_SESSIONS = 63;

/** Per session, 0–100; NaN if one of the three shares is missing. */
export interface SectorSeries {
  readonly sector: string;
  readonly strength: Float64Array;
}

/** Strength of each sector, and the shares of the whole universe from the same counts (percent). */
export interface SectorReadings {
  readonly sectors: readonly SectorSeries[];
  readonly meanStrength: Float64Array;
  readonly aboveFast: Float64Array;
  readonly aboveSlow: Float64Array;
}

/**
 * Sector strength: the mean of the shares of its members above their 50-session average, above their 200-session
 * average, and ahead of the index over 63 sessions. `indexClose` covers the bars' sessions. Sectors in `alsoNamed` are
 * included even without members that have bars, with NaN as strength.
 */
export function readSectors(
  bars: BarMatrix,
  leftOut: Uint8Array,
  indexClose: Float64Array,
  alsoNamed: readonly string[] = [],
): SectorReadings {
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
