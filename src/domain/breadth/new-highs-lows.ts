import type { BarMatrix } from '../market-history.ts';

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
