import type { BarMatrix } from '../market-history.ts';

/** Sessions in 52 weeks. */
const YEAR = 252;

/** Counts per session of new 52-week highs and lows among the `eligible` members; NaN without eligible members. */
export interface NewHighsLows {
  readonly highs: Float64Array;
  readonly lows: Float64Array;
  readonly eligible: Float64Array;
}

/**
 * A new high is a high above all highs of the member's 251 previous bars; a new low is a low below all their lows. A
 * member is eligible in a session if it has 252 bars, one of them in this session, and the session is not flagged for
 * it (`leftOut`).
 */
export function countNewHighsLows(bars: BarMatrix, leftOut: Uint8Array): NewHighsLows {
  const width = bars.sessions.length;
  const counts = {
    highs: new Float64Array(width),
    lows: new Float64Array(width),
    eligible: new Float64Array(width),
  };
  const highest = extremeBefore(width);
  const lowest = extremeBefore(width);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    highest.restart();
    lowest.restart();
    for (let session = 0; session < width; session++) {
      const high = bars.high[row + session] ?? Number.NaN;
      const low = bars.low[row + session] ?? Number.NaN;
      if (Number.isNaN(high) || Number.isNaN(low)) continue;
      const highBefore = highest.push(high);
      const lowBefore = -lowest.push(-low);
      if (Number.isNaN(highBefore) || leftOut[row + session] === 1) continue;
      counts.eligible[session] = (counts.eligible[session] ?? 0) + 1;
      if (high > highBefore) counts.highs[session] = (counts.highs[session] ?? 0) + 1;
      if (low < lowBefore) counts.lows[session] = (counts.lows[session] ?? 0) + 1;
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

/**
 * A sliding window. `push` returns the largest of the 251 values pushed before; NaN if there are fewer. It is a
 * monotonic queue: each value enters and leaves once, so the cost does not depend on the length of the window.
 */
function extremeBefore(capacity: number): { restart(): void; push(value: number): number } {
  const values = new Float64Array(capacity);
  const positions = new Int32Array(capacity);
  let head = 0;
  let tail = 0;
  let pushed = 0;
  return {
    restart() {
      head = 0;
      tail = 0;
      pushed = 0;
    },
    push(value) {
      while (head < tail && (positions[head] ?? 0) <= pushed - YEAR) head++;
      const before = pushed < YEAR - 1 ? Number.NaN : (values[head] ?? Number.NaN);
      while (head < tail && (values[tail - 1] ?? value) <= value) tail--;
      values[tail] = value;
      positions[tail] = pushed;
      tail++;
      pushed++;
      return before;
    },
  };
}
